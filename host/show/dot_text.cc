// host/show/dot_text.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/show/dot_text.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "host/base/display_text.h"
#include "host/base/utf8.h"

namespace opsrun::host {
namespace {

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

std::vector<std::string_view> Characters(std::string_view text, size_t most) {
  std::vector<std::string_view> characters;
  while (!text.empty() && characters.size() < most) {
    const Utf8Character character = DecodeUtf8(text);
    const bool in_xml = character.code != 0xFFFE && character.code != 0xFFFF;
    const bool shown = character.size > 0 && IsShown(character.code) && in_xml;
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
  static constexpr std::pair<char, std::string_view> kEntities[] = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
  std::string html;
  for (const char& c : text) {
    const auto entity = std::ranges::find(kEntities, c, &std::pair<char, std::string_view>::first);
    html += entity == std::end(kEntities) ? std::string_view(&c, 1) : entity->second;
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
