// opsrun_absl/text.h: functions on characters and text; numbers and bytes as text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun_absl/base.h"
#include "opsrun_compat/coding.h"
#include "opsrun_compat/str_util.h"

OPSRUN_ABSL_BEGIN

using ::OPSRUN_NAMESPACE::str_util::ConsumePrefix, ::OPSRUN_NAMESPACE::str_util::ConsumeSuffix;
using ::OPSRUN_NAMESPACE::str_util::EndsWith, ::OPSRUN_NAMESPACE::str_util::StartsWith;
using ::OPSRUN_NAMESPACE::str_util::StrContains;
using ::OPSRUN_NAMESPACE::str_util::StripPrefix, ::OPSRUN_NAMESPACE::str_util::StripSuffix;
using std::string_view;

inline string_view ClippedSubstr(string_view text, size_t begin, size_t count = string_view::npos) {
  return text.substr(begin < text.size() ? begin : text.size(), count);
}
inline string_view NullSafeStringView(const char* text) {
  return text == nullptr ? string_view() : string_view(text);
}

// ASCII letters and white space.

#define OPSRUN_ABSL_ASCII(name, condition)    \
  inline bool ascii_##name(unsigned char c) { \
    return condition;                         \
  }
OPSRUN_ABSL_ASCII(isdigit, c >= '0' && c <= '9')
OPSRUN_ABSL_ASCII(islower, c >= 'a' && c <= 'z')
OPSRUN_ABSL_ASCII(isupper, c >= 'A' && c <= 'Z')
OPSRUN_ABSL_ASCII(isalpha, ascii_islower(c) || ascii_isupper(c))
OPSRUN_ABSL_ASCII(isalnum, ascii_isalpha(c) || ascii_isdigit(c))
OPSRUN_ABSL_ASCII(isspace, c == ' ' || (c >= '\t' && c <= '\r'))
OPSRUN_ABSL_ASCII(isblank, c == ' ' || c == '\t')
OPSRUN_ABSL_ASCII(iscntrl, c < 32 || c == 127)
OPSRUN_ABSL_ASCII(isprint, c >= 32 && c < 127)
OPSRUN_ABSL_ASCII(isgraph, c > 32 && c < 127)
OPSRUN_ABSL_ASCII(ispunct, ascii_isgraph(c) && !ascii_isalnum(c))
OPSRUN_ABSL_ASCII(isxdigit, ascii_isdigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))
OPSRUN_ABSL_ASCII(isascii, c < 128)
#undef OPSRUN_ABSL_ASCII
inline char ascii_tolower(unsigned char c) {
  return static_cast<char>(ascii_isupper(c) ? c + 32 : c);
}
inline char ascii_toupper(unsigned char c) {
  return static_cast<char>(ascii_islower(c) ? c - 32 : c);
}

inline std::string AsciiStrToLower(string_view text) {
  return ::OPSRUN_NAMESPACE::str_util::Lowercase(text);
}
inline void AsciiStrToLower(std::string* text) {
  *text = AsciiStrToLower(*text);
}
inline std::string AsciiStrToUpper(string_view text) {
  return ::OPSRUN_NAMESPACE::str_util::Uppercase(text);
}
inline void AsciiStrToUpper(std::string* text) {
  *text = AsciiStrToUpper(*text);
}

inline string_view StripLeadingAsciiWhitespace(string_view text) {
  while (!text.empty() && ascii_isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  return text;
}
inline string_view StripTrailingAsciiWhitespace(string_view text) {
  while (!text.empty() && ascii_isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}
inline string_view StripAsciiWhitespace(string_view text) {
  return StripTrailingAsciiWhitespace(StripLeadingAsciiWhitespace(text));
}
inline void StripLeadingAsciiWhitespace(std::string* text) {
  *text = std::string(StripLeadingAsciiWhitespace(string_view(*text)));
}
inline void StripTrailingAsciiWhitespace(std::string* text) {
  *text = std::string(StripTrailingAsciiWhitespace(string_view(*text)));
}
inline void StripAsciiWhitespace(std::string* text) {
  *text = std::string(StripAsciiWhitespace(string_view(*text)));
}

// Of several consecutive white-space characters, only the last one is kept.
inline void RemoveExtraAsciiWhitespace(std::string* text) {
  std::string out;
  bool was_space = false;
  for (const char c : StripAsciiWhitespace(string_view(*text))) {
    const bool is_space = ascii_isspace(static_cast<unsigned char>(c));
    if (is_space && was_space) out.pop_back();
    out += c;
    was_space = is_space;
  }
  *text = out;
}

inline bool EqualsIgnoreCase(string_view a, string_view b) {
  return AsciiStrToLower(a) == AsciiStrToLower(b);
}
inline bool StartsWithIgnoreCase(string_view text, string_view prefix) {
  return EqualsIgnoreCase(text.substr(0, prefix.size()), prefix);
}
inline bool EndsWithIgnoreCase(string_view text, string_view suffix) {
  return suffix.size() <= text.size() && EqualsIgnoreCase(text.substr(text.size() - suffix.size()), suffix);
}
inline bool StrContainsIgnoreCase(string_view text, string_view part) {
  return StrContains(AsciiStrToLower(text), AsciiStrToLower(part));
}

// At each position the longest matching word is replaced. The form with a pointer returns the number of replacements.
template <typename Pairs>
int StrReplaceAll(const Pairs& pairs, std::string* text) {
  std::string out;
  int count = 0;
  for (size_t at = 0; at < text->size();) {
    string_view found, with;
    for (const auto& pair : pairs) {
      const string_view word(pair.first);
      if (word.size() > found.size() && text->compare(at, word.size(), word) == 0)
        found = word, with = string_view(pair.second);
    }
    count += !found.empty();
    found.empty() ? out.append(1, (*text)[at]) : out.append(with);
    at += found.empty() ? 1 : found.size();
  }
  *text = out;
  return count;
}
namespace internal {
typedef std::initializer_list<std::pair<string_view, string_view>> ReplacementList;
}
inline int StrReplaceAll(internal::ReplacementList pairs, std::string* text) {
  return StrReplaceAll<internal::ReplacementList>(pairs, text);
}
template <typename Pairs>
std::string StrReplaceAll(string_view text, const Pairs& pairs) {
  std::string out(text);
  StrReplaceAll(pairs, &out);
  return out;
}
inline std::string StrReplaceAll(string_view text, internal::ReplacementList pairs) {
  return StrReplaceAll<internal::ReplacementList>(text, pairs);
}

namespace internal {
// Parses a sign, then for hexadecimal numbers an optional 0x, then digits.
template <typename Int>
bool ReadInt(string_view text, int base, Int* value) {
  text = StripAsciiWhitespace(text);
  const bool is_negative = ConsumePrefix(&text, "-");
  if (!is_negative) ConsumePrefix(&text, "+");
  if (base == 16 && StartsWithIgnoreCase(text, "0x")) text.remove_prefix(2);
  if (text.empty() || !ascii_isxdigit(static_cast<unsigned char>(text.front()))) return false;
  return ::OPSRUN_NAMESPACE::internal::ReadInteger((is_negative ? "-" : "") + std::string(text), base, value);
}
}  // namespace internal

template <typename Int>
bool SimpleAtoi(string_view text, Int* value) {
  return internal::ReadInt(text, 10, value);
}
template <typename Int>
bool SimpleHexAtoi(string_view text, Int* value) {
  return internal::ReadInt(text, 16, value);
}

// Numbers out of range become infinite.
inline bool SimpleAtod(string_view text, double* value) {
  return ::OPSRUN_NAMESPACE::internal::ReadReal(text, value);
}
inline bool SimpleAtof(string_view text, float* value) {
  return ::OPSRUN_NAMESPACE::internal::ReadReal(text, value);
}

inline bool SimpleAtob(string_view text, bool* value) {
  for (const char* word : {"true", "t", "yes", "y", "1"}) {
    if (EqualsIgnoreCase(text, word)) return *value = true;
  }
  for (const char* word : {"false", "f", "no", "n", "0"}) {
    if (EqualsIgnoreCase(text, word)) return !(*value = false);
  }
  return false;
}

// Escapes, hexadecimal digits and base64.

using ::OPSRUN_NAMESPACE::str_util::CEscape;

inline std::string BytesToHexString(string_view bytes) {
  std::string out;
  for (const char c : bytes) out.append(::OPSRUN_NAMESPACE::internal::Format("%02x", static_cast<unsigned char>(c)));
  return out;
}
inline std::string HexStringToBytes(string_view digits) {
  const auto value = [](char c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; };
  std::string out;
  for (size_t i = 0; i + 1 < digits.size(); i += 2)
    out.push_back(static_cast<char>(value(digits[i]) * 16 + value(digits[i + 1])));
  return out;
}
// If the text is not pairs of hexadecimal digits, returns false and leaves *bytes unchanged. In abseil since 2024.
[[nodiscard]] inline bool HexStringToBytes(string_view digits, std::string* bytes) {
  if (digits.size() % 2 != 0) return false;
  for (const char c : digits) {
    if (!ascii_isxdigit(static_cast<unsigned char>(c))) return false;
  }
  *bytes = HexStringToBytes(digits);
  return true;
}

inline std::string Base64Escape(string_view bytes) {
  constexpr string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  return ::OPSRUN_NAMESPACE::internal::Base64Text(bytes, kDigits, true);
}

OPSRUN_ABSL_END
