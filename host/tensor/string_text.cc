// host/tensor/string_text.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/string_text.h"

#include <fmt/core.h>

#include "host/base/utf8.h"

namespace opsrun::host {
namespace {

std::string Escaped(uint32_t code) {
  switch (code) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return fmt::format("\\x{:02x}", code);
  }
}

// `quote` 0: none, and white space stays.
std::string Text(std::string_view text, char quote) {
  std::string shown;
  while (!text.empty()) {
    const Utf8Character c = DecodeUtf8(text);
    const size_t size = c.size == 0 ? 1 : c.size;
    const bool stays = quote == 0 && (c.code == '\n' || c.code == '\t');
    if (c.size == 0) {
      shown += Escaped(static_cast<unsigned char>(text[0]));
    } else if (IsControl(c.code) && !stays) {
      shown += Escaped(c.code);
    } else {
      if (quote != 0 && (text[0] == '\\' || text[0] == quote)) shown += '\\';
      shown += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return shown;
}

}  // namespace

std::string QuotedText(std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const char quote = has_single && text.find('"') == std::string_view::npos ? '"' : '\'';
  return quote + Text(text, quote) + quote;
}

std::string UnquotedText(std::string_view text) {
  return Text(text, 0);
}

}  // namespace opsrun::host
