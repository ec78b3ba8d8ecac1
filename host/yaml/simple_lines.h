// host/yaml/simple_lines.h: lines of a section that need no YAML parser: "  n7: {op: Add, in: [a, b]}". A large graph
// consists of such lines, and reading them as YAML would take most of the time of loading it.
//
// They are those right below the line "nodes:" of the root, up to the first line that is not simple: two spaces, a
// name, and a map in braces of words without quotes, with one space behind each ':' and ','. Between them may be
// comments. What comes behind them must be another entry, so that it means the same without them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "host/yaml/value.h"

namespace opsrun::host {

class SimpleLines {
 public:
  // section: "nodes". The text must outlive this object.
  SimpleLines(std::string_view text, std::string_view section);

  // Their number; 0 if the text must be read as a whole.
  size_t size() const { return count_; }

  // The text with an empty line for each of them, so that all else stays in its place.
  const std::string& others() const { return others_; }

  // Of the line of the section in the text.
  uint32_t section_line() const { return section_line_; }

  // The entry of the next line, as ReadYaml would return it. Requires: it is called at most size() times.
  void Next(Value::Entry& entry);

 private:
  size_t FindBegin(std::string_view section);
  bool AreComplete(size_t end) const;

  const std::string_view text_;
  std::string others_;
  size_t count_ = 0;
  uint32_t section_line_ = 0;
  size_t next_ = 0;  // the offset of the next line
  uint32_t line_ = 0;
};

}  // namespace opsrun::host
