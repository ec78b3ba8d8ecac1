// absl/strings/numbers.h: text read as a number. False unless all of it, apart from spaces around it, is one that fits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <errno.h>
#include <stdlib.h>

#include <charconv>
#include <string>
#include <system_error>
#include <type_traits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

OPSRUN_ABSL_BEGIN

namespace internal {
// A sign, then for hexadecimal numbers 0x, which may be missing, then digits.
template <typename Int>
bool ReadInt(string_view text, int base, Int* value) {
  text = StripAsciiWhitespace(text);
  const bool is_negative = !text.empty() && text.front() == '-';
  if (is_negative || (!text.empty() && text.front() == '+')) text.remove_prefix(1);
  if (base == 16 && StartsWithIgnoreCase(text, "0x")) text.remove_prefix(2);
  if (text.empty() || !ascii_isxdigit(static_cast<unsigned char>(text.front()))) return false;
  const std::string number = (is_negative ? "-" : "") + std::string(text);
  const char* const end = number.data() + number.size();
  const auto read = std::from_chars(number.data(), end, *value, base);
  return read.ec == std::errc() && read.ptr == end;
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

// A number too large for a double becomes infinite, as does a number too large for a float.
inline bool SimpleAtod(string_view text, double* value) {
  const std::string copy(StripAsciiWhitespace(text));
  char* end = nullptr;
  *value = strtod(copy.c_str(), &end);
  return !copy.empty() && *end == '\0';
}
inline bool SimpleAtof(string_view text, float* value) {
  const std::string copy(StripAsciiWhitespace(text));
  char* end = nullptr;
  *value = strtof(copy.c_str(), &end);
  return !copy.empty() && *end == '\0';
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

OPSRUN_ABSL_END
