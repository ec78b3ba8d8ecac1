// host/base/utf8.h: characters from bytes and back.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace opsrun::host {

struct Utf8Character {
  uint32_t code = 0;
  size_t size = 0;  // bytes; 0: no character
};

// The character at the beginning of `text`. None for a stray or missing continuation byte, an overlong form, a
// surrogate, a code beyond U+10FFFF, or an empty text.
Utf8Character DecodeUtf8(std::string_view text);

// A byte of a character that is not its first.
constexpr bool IsContinuationByte(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

bool IsUtf8(std::string_view text);

// Requires: a code that IsUnicode.
void AppendUtf8(uint32_t code, std::string* text);

// U+FFFD, which replaces what cannot be shown.
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

// Up to U+10FFFF, except surrogates.
inline bool IsUnicode(uint32_t code) {
  return code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
}

// Below U+0020, and U+007F to U+009F.
inline bool IsControl(uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0);
}

}  // namespace opsrun::host
