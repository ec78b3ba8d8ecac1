// host/yaml/prepared_text.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/prepared_text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "host/base/utf8.h"

namespace opsrun::host {
namespace {

constexpr size_t kEscape = 6;  // "\ud83d"
// Two characters that Unicode keeps for the inside of programs: no text holds them.
constexpr std::string_view kMark = "\\ufdd0\\ufdd1";
constexpr std::string_view kMarkUnescaped = "\xef\xb7\x90\xef\xb7\x91";

// 0 if there is no "\u" with four digits.
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

PreparedText::PreparedText(std::string_view source) : source_(source), text_(source) {
  BlankTabs();
  MarkSurrogates();
}

void PreparedText::BlankTabs() {
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

void PreparedText::MarkSurrogates() {
  for (size_t at = text_.find("\\u"); at != std::string::npos; at = text_.find("\\u", at + 2)) {
    const uint32_t high = EscapeAt(text_, at), low = EscapeAt(text_, at + kEscape);
    if (high >> 10 != 0x36 || low >> 10 != 0x37 || IsEscaped(text_, at)) continue;  // 0xd800 and 0xdc00, ten bits each
    AppendUtf8(0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff), &surrogates_.emplace_back(at, "").second);
    text_.replace(at, kMark.size(), kMark);
  }
}

std::string PreparedText::Restore(std::string_view value, const Extent& extent, bool double_quoted) const {
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

std::optional<size_t> PreparedText::LostTab(const Extent& extent) const {
  for (size_t at = source_.find('\t', extent.begin); at < extent.end; at = source_.find('\t', at + 1)) {
    if (text_[at] != '\t') return at;
  }
  return std::nullopt;
}

}  // namespace opsrun::host
