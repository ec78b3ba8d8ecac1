// host/show/json_text.h: JSON for programs, and the lines of a text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/diagnostic.h"

namespace opsrun::host {

using Json = nlohmann::ordered_json;  // keys in the order in which they were added

// Invalid UTF-8, which texts of graphs and plugins may contain, becomes U+FFFD.
inline std::string JsonOnOneLine(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The same for a text, which is faster.
inline std::string JsonString(const std::string& text) {
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  return std::all_of(text.begin(), text.end(), is_plain) ? '"' + text + '"' : JsonOnOneLine(text);
}

// The document that a command prints.
inline std::string JsonDocument(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

inline Json OrNull(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

// [to_json(value), ...]
template <typename List, typename ToJson>
Json JsonArray(const List& values, ToJson to_json) {
  Json array = Json::array();
  for (const auto& value : values) array.push_back(to_json(value));
  return array;
}

// Without line breaks. The last line may lack one.
inline std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    lines.push_back(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(lines.back().size() + 1, text.size()));
  }
  return lines;
}

// A source file split into lines, for many messages. Borrows the file's text.
class SourceLines {
 public:
  explicit SourceLines(const SourceFile& source)
      : path_(source.path), begin_(source.text.data()), lines_(LinesOf(source.text)) {
    for (std::string_view& line : lines_) {
      if (line.ends_with('\r')) line.remove_suffix(1);
    }
  }

  const std::string& path() const { return path_; }
  // Line n (from 1) without its line break; empty past the end.
  std::string_view Line(uint32_t n) const { return n == 0 || n > lines_.size() ? std::string_view() : lines_[n - 1]; }
  // The byte offset of the place, at most that of the end of its line; nothing past the last line.
  std::optional<size_t> ByteOffset(const Position& place) const {
    if (place.line == 0 || place.line > lines_.size() || place.column == 0) return std::nullopt;
    const std::string_view line = lines_[place.line - 1];
    return static_cast<size_t>(line.data() - begin_) + std::min<size_t>(place.column - 1, line.size());
  }

 private:
  const std::string& path_;
  const char* begin_;
  std::vector<std::string_view> lines_;
};

}  // namespace opsrun::host
