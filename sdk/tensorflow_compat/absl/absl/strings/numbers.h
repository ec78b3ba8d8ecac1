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

template <typename Int>
bool SimpleAtoi(string_view text, Int* value) {
  text = StripAsciiWhitespace(text);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto read = std::from_chars(text.data(), text.data() + text.size(), *value);
  return !text.empty() && read.ec == std::errc() && read.ptr == text.data() + text.size();
}
template <typename Int>
bool SimpleHexAtoi(string_view text, Int* value) {
  text = StripAsciiWhitespace(text);
  if (StartsWithIgnoreCase(text, "0x")) text.remove_prefix(2);
  const auto read = std::from_chars(text.data(), text.data() + text.size(), *value, 16);
  return !text.empty() && read.ec == std::errc() && read.ptr == text.data() + text.size();
}

// A number too large for a double becomes infinite, as does a number too large for a float.
inline bool SimpleAtod(string_view text, double* value) {
  const std::string copy(StripAsciiWhitespace(text));
  char* end = nullptr;
  *value = strtod(copy.c_str(), &end);
  return !copy.empty() && *end == '\0' && !StrContainsIgnoreCase(copy, "x");
}
inline bool SimpleAtof(string_view text, float* value) {
  const std::string copy(StripAsciiWhitespace(text));
  char* end = nullptr;
  *value = strtof(copy.c_str(), &end);
  return !copy.empty() && *end == '\0' && !StrContainsIgnoreCase(copy, "x");
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
