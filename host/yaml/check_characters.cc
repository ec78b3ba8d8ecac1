// host/yaml/check_characters.cc: is this text at all?
// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/check_characters.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "host/base/utf8.h"

namespace opsrun::host {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

uint32_t ByteAt(std::string_view text, size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
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
    const uint32_t byte = ByteAt(text, at);
    const size_t size = byte < 0x80 ? 1 : DecodeUtf8(text.substr(at)).size;
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
