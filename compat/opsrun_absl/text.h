// opsrun_absl/text.h: functions on characters and text: prefixes, stripping, replacement.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "opsrun_absl/base.h"
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

inline bool ascii_isdigit(unsigned char c) {
  return c >= '0' && c <= '9';
}
inline bool ascii_islower(unsigned char c) {
  return c >= 'a' && c <= 'z';
}
inline bool ascii_isupper(unsigned char c) {
  return c >= 'A' && c <= 'Z';
}
inline bool ascii_isalpha(unsigned char c) {
  return ascii_islower(c) || ascii_isupper(c);
}
inline bool ascii_isalnum(unsigned char c) {
  return ascii_isalpha(c) || ascii_isdigit(c);
}
inline bool ascii_isspace(unsigned char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
inline bool ascii_isblank(unsigned char c) {
  return c == ' ' || c == '\t';
}
inline bool ascii_iscntrl(unsigned char c) {
  return c < 32 || c == 127;
}
inline bool ascii_isprint(unsigned char c) {
  return c >= 32 && c < 127;
}
inline bool ascii_isgraph(unsigned char c) {
  return c > 32 && c < 127;
}
inline bool ascii_ispunct(unsigned char c) {
  return ascii_isgraph(c) && !ascii_isalnum(c);
}
inline bool ascii_isxdigit(unsigned char c) {
  return ascii_isdigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
inline bool ascii_isascii(unsigned char c) {
  return c < 128;
}
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

OPSRUN_ABSL_END
