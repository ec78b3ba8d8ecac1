// host/graph/check_characters.cc: is this text at all?
// SPDX-License-Identifier: Apache-2.0
#include "host/graph/check_characters.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace opsrun::host {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

uint32_t ByteAt(std::string_view text, size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

// How many bytes the character at `at` has; 0 if it is none: a stray or missing continuation byte, an overlong form, a
// surrogate, or beyond U+10FFFF.
size_t CharacterSize(std::string_view text, size_t at) {
  const uint32_t lead = ByteAt(text, at);
  if (lead < 0x80) return 1;
  const size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((ByteAt(text, at + i) & 0xc0) != 0x80) return 0;
  }
  const uint32_t second = ByteAt(text, at + 1);
  const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool surrogate = lead == 0xed && second >= 0xa0;
  const bool beyond = lead == 0xf4 && second >= 0x90;
  return overlong || surrogate || beyond ? 0 : size;
}

bool IsAllowedControl(std::string_view text, size_t at) {
  const char c = text[at];
  return c == '\t' || c == '\n' || (c == '\r' && ByteAt(text, at + 1) == '\n');
}

Span SpanOfByte(std::string_view text, size_t at) {
  const std::string_view before = text.substr(0, at);
  const uint32_t line = static_cast<uint32_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const size_t line_begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const uint32_t column = static_cast<uint32_t>(at - line_begin) + 1;
  return {{line, column}, {line, column + 1}};
}

bool Refuse(Reporter& reporter, size_t at, std::string message, std::string help) {
  Diagnostic& error = reporter.Error("G001", SpanOfByte(reporter.source().text, at), std::move(message));
  error.help.push_back(std::move(help));
  return false;
}

}  // namespace

bool CheckCharacters(Reporter& reporter) {
  const std::string_view text = reporter.source().text;
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    return Refuse(reporter, 0, "the text begins with a byte order mark", "save it as UTF-8 without one");
  }
  for (size_t at = 0; at < text.size();) {
    const size_t size = CharacterSize(text, at);
    const uint32_t byte = ByteAt(text, at);
    if (size == 0) {
      return Refuse(reporter, at, fmt::format("the text is not UTF-8: the byte {:02x} cannot stand here", byte),
                    "save the file as UTF-8");
    }
    if ((byte < 0x20 && !IsAllowedControl(text, at)) || byte == 0x7f) {
      return Refuse(reporter, at, fmt::format("the control character {:02x} is not allowed", byte),
                    fmt::format("write \"\\x{:02x}\" in double quotes, or end lines with a line feed", byte));
    }
    at += size;
  }
  return true;
}

}  // namespace opsrun::host
