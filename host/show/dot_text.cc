// host/show/dot_text.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/show/dot_text.h"

#include <algorithm>
#include <vector>

#include "host/base/utf8.h"

namespace opsrun::host {
namespace {

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

// Characters that turn the writing direction around make a text read as something else.
bool IsShown(uint32_t code) {
  const bool turns =
      (code >= 0x200E && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return !IsControl(code) && !turns && code != 0xFFFE && code != 0xFFFF;
}

std::vector<std::string_view> Characters(std::string_view text, size_t most) {
  std::vector<std::string_view> characters;
  while (!text.empty() && characters.size() < most) {
    const Utf8Character character = DecodeUtf8(text);
    const bool shown = character.size > 0 && IsShown(character.code);
    const size_t size = std::max<size_t>(character.size, 1);
    characters.push_back(shown ? text.substr(0, size) : kReplacementCharacter);
    text.remove_prefix(size);
  }
  return characters;
}

// How many of the characters from `begin` on make a line.
size_t LineLength(const std::vector<std::string_view>& characters, size_t begin, size_t width) {
  const size_t rest = characters.size() - begin;
  if (rest <= width) return rest;
  for (size_t n = width; n > width / 2; --n) {
    if (characters[begin + n] == " ") return n;
  }
  return width;
}

}  // namespace

std::string DotId(std::string_view text) {
  std::string id = "\"";
  for (const std::string_view character : Characters(text, text.size())) {
    if (character == "\"" || character == "\\") id += '\\';
    id += character;
  }
  return id + '"';
}

std::string CutText(std::string_view text, size_t most) {
  std::vector<std::string_view> characters = Characters(text, most + 1);
  if (characters.size() > most) {
    characters.resize(most - 1);
    characters.push_back(kEllipsis);
  }
  std::string cut;
  for (const std::string_view character : characters) cut += character;
  return cut;
}

std::string HtmlText(std::string_view text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

std::string HtmlLines(std::string_view text, size_t width, size_t lines) {
  const std::string cut = CutText(text, width * lines);
  const std::vector<std::string_view> characters = Characters(cut, cut.size());
  std::string html;
  for (size_t begin = 0, n = 0; begin < characters.size(); begin += n) {
    n = LineLength(characters, begin, width);
    for (size_t i = begin; i < begin + n; ++i) html += HtmlText(characters[i]);
    html += "<br/>";
    while (begin + n < characters.size() && characters[begin + n] == " ") ++begin;
  }
  return html;
}

}  // namespace opsrun::host
