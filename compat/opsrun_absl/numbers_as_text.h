// opsrun_absl/numbers_as_text.h: conversion of numbers and bytes to text, and back.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <string>
#include <system_error>

#include "opsrun_absl/str_cat.h"
#include "opsrun_absl/text.h"
#include "opsrun_compat/coding.h"

OPSRUN_ABSL_BEGIN

namespace internal {
// Parses a sign, then for hexadecimal numbers an optional 0x, then digits.
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

// CEscape, CUnescape, hexadecimal and base64.

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
