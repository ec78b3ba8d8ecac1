// host/show/source_snippet.h: lines of a source file with the places in them marked.
//
//    |
//  8 |   w:
//    |   - first definition here
// ...
// 13 |   w:
//    |   ^ second definition
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/diagnostic.h"

namespace opsrun::host {

// Terminal colors, or none.

// The escape sequence of a color.
struct Ink {
  static constexpr std::string_view kStrong = "\x1b[1m", kError = "\x1b[1;31m", kWarning = "\x1b[1;33m",
                                    kGood = "\x1b[1;32m", kPlace = "\x1b[1;34m";
};

class Paint {
 public:
  explicit Paint(bool on) : on_(on) {}

  std::string operator()(std::string_view ink, std::string_view text) const {
    if (!on_ || text.empty()) return std::string(text);
    return std::string(ink).append(text).append("\x1b[0m");
  }

 private:
  bool on_;
};

// A source file split into lines, for many messages. Borrows the file's text.
class SourceLines {
 public:
  explicit SourceLines(const SourceFile& source);

  const std::string& path() const { return path_; }
  // Line n (from 1) without its line break; empty past the end.
  std::string_view Line(uint32_t n) const;
  // The byte offset of the place, at most that of the end of its line; nothing past the last line.
  std::optional<size_t> ByteOffset(const Position& place) const;

 private:
  const std::string& path_;
  const char* begin_;
  std::vector<std::string_view> lines_;
};

// Width of the gutter: the number of digits of the largest line number in `d`.
size_t GutterWidth(const Diagnostic& d);

// The marked lines, each ending in a line break; empty if `d` has no known place. Long lines are cut around the marks;
// of a span over several lines, the first line is shown.
std::string DrawSnippet(const Diagnostic& d, const SourceLines& lines, const Paint& paint);

}  // namespace opsrun::host
