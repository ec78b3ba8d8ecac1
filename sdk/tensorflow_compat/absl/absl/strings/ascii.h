// absl/strings/ascii.h: letters and white space of ASCII.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/strings/string_view.h"

OPSRUN_ABSL_BEGIN

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

inline void AsciiStrToLower(std::string* text) {
  for (char& c : *text) c = ascii_tolower(static_cast<unsigned char>(c));
}
inline std::string AsciiStrToLower(string_view text) {
  std::string lower(text);
  AsciiStrToLower(&lower);
  return lower;
}
inline void AsciiStrToUpper(std::string* text) {
  for (char& c : *text) c = ascii_toupper(static_cast<unsigned char>(c));
}
inline std::string AsciiStrToUpper(string_view text) {
  std::string upper(text);
  AsciiStrToUpper(&upper);
  return upper;
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

// Of several white characters in a row, the last one stays.
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

OPSRUN_ABSL_END
