// host/show/json_text.h: JSON for programs, and the lines of a text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace opsrun::host {

using Json = nlohmann::ordered_json;  // keys in the order in which they were added

// Invalid UTF-8, which texts of graphs and plugins may contain, becomes U+FFFD.
inline std::string JsonOnOneLine(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
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

}  // namespace opsrun::host
