// host/plugin/plain_text.cc: UTF-8 without control characters.
// SPDX-License-Identifier: Apache-2.0
#include "host/plugin/plain_text.h"

#include <cstddef>
#include <cstdint>

#include "host/base/utf8.h"

namespace opsrun::host {
namespace {

bool IsWhiteSpace(uint32_t code) {
  return code == '\n' || code == '\t' || code == '\r';
}

// How many printable ASCII characters the text begins with.
size_t AsciiPrefix(std::string_view text) {
  size_t n = 0;
  while (n < text.size() && text[n] >= 0x20 && text[n] < 0x7F) ++n;
  return n;
}

}  // namespace

bool IsPlainText(std::string_view text) {
  for (text.remove_prefix(AsciiPrefix(text)); !text.empty(); text.remove_prefix(AsciiPrefix(text))) {
    const Utf8Character c = DecodeUtf8(text);
    if (c.size == 0 || (IsControl(c.code) && !IsWhiteSpace(c.code))) return false;
    text.remove_prefix(c.size);
  }
  return true;
}

bool IsPlainName(std::string_view text) {
  return !text.empty() && text.find_first_of("\n\r\t") == std::string_view::npos && IsPlainText(text);
}

}  // namespace opsrun::host
