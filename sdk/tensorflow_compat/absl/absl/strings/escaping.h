// absl/strings/escaping.h: CEscape, CUnescape, hexadecimal and base64.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

OPSRUN_ABSL_BEGIN

inline std::string CEscape(string_view text) {
  constexpr string_view kPlain = "\n\r\t\"'\\", kLetters = "nrt\"'\\";
  std::string out;
  for (const char c : text) {
    const size_t at = kPlain.find(c);
    if (at != string_view::npos) {
      out.append({'\\', kLetters[at]});
    } else if (ascii_isprint(static_cast<unsigned char>(c))) {
      out.push_back(c);
    } else {
      out.append(::OPSRUN_NAMESPACE::internal::Format("\\%03o", static_cast<unsigned char>(c)));
    }
  }
  return out;
}

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
// False, and *bytes unchanged, for anything but pairs of digits; abseil has it since 2024.
[[nodiscard]] inline bool HexStringToBytes(string_view digits, std::string* bytes) {
  if (digits.size() % 2 != 0) return false;
  for (const char c : digits) {
    if (!ascii_isxdigit(static_cast<unsigned char>(c))) return false;
  }
  *bytes = HexStringToBytes(digits);
  return true;
}

inline std::string Base64Escape(string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t n = bytes.size() - i < 3 ? bytes.size() - i : 3;
    unsigned group = 0;
    for (size_t k = 0; k < 3; ++k) group = group << 8 | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0);
    for (size_t k = 0; k < 4; ++k) out.push_back(k <= n ? kDigits[group >> (18 - 6 * k) & 63] : '=');
  }
  return out;
}

OPSRUN_ABSL_END
