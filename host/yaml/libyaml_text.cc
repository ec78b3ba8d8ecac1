// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/libyaml_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "host/base/text.h"

namespace opsrun::host {
namespace {

constexpr size_t kEscape = 6;  // "\ud83d"
// Two noncharacters of Unicode, which do not occur in text.
constexpr std::string_view kMark = "\\ufdd0\\ufdd1";
constexpr std::string_view kMarkUnescaped = "\xef\xb7\x90\xef\xb7\x91";

// 0 if there is no "\u" with four digits at `at`.
uint32_t EscapeAt(std::string_view text, size_t at) {
  const std::string_view escape = text.substr(std::min(at, text.size()), kEscape);
  uint32_t code = 0;
  if (escape.size() < kEscape || escape.substr(0, 2) != "\\u") return 0;
  return std::from_chars(escape.data() + 2, escape.data() + kEscape, code, 16).ptr == escape.end() ? code : 0;
}

bool IsEscaped(std::string_view text, size_t at) {
  size_t backslashes = 0;
  while (backslashes < at && text[at - backslashes - 1] == '\\') ++backslashes;
  return backslashes % 2 != 0;
}

}  // namespace

LibyamlText::LibyamlText(std::string_view source) : source_(source), text_(source) {
  BlankTabs();
  MarkSurrogates();
}

void LibyamlText::BlankTabs() {
  for (size_t tab = text_.find('\t'); tab != std::string::npos; tab = text_.find('\t', tab + 1)) {
    const size_t content = std::min(text_.find_first_not_of(" \t\r", tab), text_.size());
    const size_t before = text_.find_last_not_of(" \t", tab);
    const bool indents = before == std::string::npos || text_[before] == '\n';
    const bool empty = content == text_.size() || text_[content] == '\n' || text_[content] == '#';
    if (indents && empty)
      std::replace(text_.begin() + static_cast<ptrdiff_t>(tab), text_.begin() + static_cast<ptrdiff_t>(content), '\t',
                   ' ');
    tab = content - 1;
  }
}

void LibyamlText::MarkSurrogates() {
  for (size_t at = text_.find("\\u"); at != std::string::npos; at = text_.find("\\u", at + 2)) {
    const uint32_t high = EscapeAt(text_, at), low = EscapeAt(text_, at + kEscape);
    if (high >> 10 != 0x36 || low >> 10 != 0x37 || IsEscaped(text_, at)) continue;  // 0xd800 and 0xdc00, ten bits each
    AppendUtf8(0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff), &surrogates_.emplace_back(at, "").second);
    text_.replace(at, kMark.size(), kMark);
  }
}

std::string LibyamlText::Restore(std::string_view value, const Extent& extent, bool double_quoted) const {
  const std::string_view mark = double_quoted ? kMarkUnescaped : kMark;
  const auto before = [&](const auto& each) { return each.first < extent.begin; };
  auto next = std::partition_point(surrogates_.begin(), surrogates_.end(), before);
  std::string restored;
  for (; next != surrogates_.end() && next->first < extent.end; ++next) {
    const size_t at = value.find(mark);
    if (at == std::string_view::npos) break;
    restored += value.substr(0, at);
    restored += double_quoted ? next->second : source_.substr(next->first, kMark.size());
    value.remove_prefix(at + mark.size());
  }
  return restored.append(value);
}

std::optional<size_t> LibyamlText::LostTab(const Extent& extent) const {
  for (size_t at = source_.find('\t', extent.begin); at < extent.end; at = source_.find('\t', at + 1)) {
    if (text_[at] != '\t') return at;
  }
  return std::nullopt;
}

// Validation of the text.

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool IsAllowed(uint32_t code, std::string_view rest) {
  if (code == '\t' || code == '\n') return true;
  if (code == '\r') return rest.substr(0, 2) == "\r\n";
  return IsPrintable(code);
}

bool Refuse(Reporter& reporter, size_t at, std::string message, std::string help) {
  const Position place = TextPlaces(reporter.source().text).PositionAt(at);
  return reporter.Refuse("G001", OneCharacter(place), std::move(message), std::move(help));
}

}  // namespace

// Excludes U+2028 and U+2029, which end a line in libyaml but not in YAML 1.2.
bool IsPrintable(uint32_t code) {
  return !IsControl(code) && code != 0x2028 && code != 0x2029 && code != 0xfffe && code != 0xffff;
}

bool CheckCharacters(Reporter& reporter) {
  const std::string_view text = reporter.source().text;
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    return Refuse(reporter, 0, "the text begins with a byte order mark", "save it as UTF-8 without one");
  }
  for (size_t at = 0; at < text.size();) {
    const Utf8Character character = DecodeUtf8(text.substr(at));
    if (character.size == 0) {
      return Refuse(reporter, at,
                    fmt::format("the text is not UTF-8: unexpected byte {:02x}", static_cast<unsigned char>(text[at])),
                    "save the file as UTF-8");
    }
    if (!IsAllowed(character.code, text.substr(at))) {
      const std::string escape =
          character.code > 0xff ? fmt::format("u{:04x}", character.code) : fmt::format("x{:02x}", character.code);
      return Refuse(reporter, at, fmt::format("the control character {} is not allowed", escape.substr(1)),
                    fmt::format("write \"\\{}\" in double quotes, or end lines with a line feed", escape));
    }
    at += character.size;
  }
  return true;
}

}  // namespace opsrun::host
