// host/base/text.h: what text consists of, independent of the locale: characters and UTF-8, decimal numbers, Base64,
// and hashes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "host/base/status.h"

namespace opsrun::host {

constexpr bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool IsLower(char c) {
  return c >= 'a' && c <= 'z';
}
constexpr bool IsUpper(char c) {
  return c >= 'A' && c <= 'Z';
}
constexpr bool IsLetter(char c) {
  return IsLower(c) || IsUpper(c);
}

// Whitespace as in C, including line breaks.
constexpr bool IsBlank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
constexpr char Lower(char c) {
  return IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}
constexpr char Upper(char c) {
  return IsLower(c) ? static_cast<char>(c - 'a' + 'A') : c;
}

inline std::string LowerCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), Lower);
  return text;
}
inline std::string UpperCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), Upper);
  return text;
}

// Removes the part before the first of the separators, and the separator, from *text, and returns that part. Without a
// separator, it is the whole text.
inline std::string_view TakePart(std::string_view* text, std::string_view separators) {
  const size_t end = std::min(text->find_first_of(separators), text->size());
  const std::string_view part = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  return part;
}

// Decoding and encoding of UTF-8.

struct Utf8Character {
  uint32_t code = 0;
  size_t size = 0;  // bytes; 0: invalid
};

// The first character of `text`. Its size is 0 for a stray or missing continuation byte, an overlong form, a surrogate,
// a code above U+10FFFF, or an empty text.
Utf8Character DecodeUtf8(std::string_view text);

// A byte of a character that is not its first.
constexpr bool IsContinuationByte(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

bool IsUtf8(std::string_view text);

// Requires: IsUnicode(code).
void AppendUtf8(uint32_t code, std::string* text);

// U+FFFD, shown in place of what cannot be shown.
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

// Up to U+10FFFF, except surrogates.
inline bool IsUnicode(uint32_t code) {
  return code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
}

// Below U+0020, and U+007F to U+009F.
inline bool IsControl(uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0);
}

// The integer whose digits are the whole text, behind a '-' if T is signed. Nothing if it does not fit.
template <typename T>
std::optional<T> ParseInteger(std::string_view text, int base = 10) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// Removes a sign from the front; true if it was a minus.
bool TakeSign(std::string_view& text);

// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
bool IsDecimalText(std::string_view text);

// The double nearest to the text, ties to even; infinite if that is too large. Requires: IsDecimalText(text).
double NearestDouble(std::string_view text);

// Compares the magnitudes of the text and the number exactly: below 0, 0, or above 0 if that of the text is smaller,
// equal or larger. Takes microseconds. Requires: IsDecimalText(text); a finite number.
int CompareMagnitudes(std::string_view text, double number);

// Base64 (RFC 4648, section 4).
std::string EncodeBase64(std::string_view bytes);

// Skips spaces and line breaks. INVALID_ARGUMENT for any other character, an incomplete group of four, or nonzero
// leftover bits; the message says what is wrong and after how many characters.
Result<std::string> DecodeBase64(std::string_view text);

// 64-bit FNV-1a. Detects accidental differences; use it only where nothing is gained by a deliberate collision.
class ContentHash {
 public:
  void Add(std::string_view bytes) {
    for (const char byte : bytes) value_ = (value_ ^ static_cast<unsigned char>(byte)) * 1'099'511'628'211u;
  }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 14'695'981'039'346'656'037u;
};

inline uint64_t HashOf(std::string_view bytes) {
  ContentHash hash;
  hash.Add(bytes);
  return hash.value();
}

}  // namespace opsrun::host
