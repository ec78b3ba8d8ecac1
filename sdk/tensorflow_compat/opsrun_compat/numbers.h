// opsrun_compat/numbers.h: strings::safe_strto32 and relatives: text read as numbers, numbers as text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/strings.h"
#include "opsrun/types.h"
#include "opsrun_compat/read_number.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace strings {

// False unless all of the text, apart from spaces around it, is a number that fits.
inline bool safe_strto32(StringPiece text, int32* value) {
  return internal::ReadInteger(text, 10, value);
}
inline bool safe_strtou32(StringPiece text, uint32* value) {
  return internal::ReadInteger(text, 10, value);
}
template <typename Int64>
bool safe_strto64(StringPiece text, Int64* value) {
  return internal::ReadInteger(text, 10, value);
}
template <typename Uint64>
bool safe_strtou64(StringPiece text, Uint64* value) {
  return internal::ReadInteger(text, 10, value);
}
inline bool safe_strtof(StringPiece text, float* value) {
  return internal::ReadReal(text, value);
}
inline bool safe_strtod(StringPiece text, double* value) {
  return internal::ReadReal(text, value);
}
inline bool SafeStringToNumeric(StringPiece text, float* value) {
  return internal::ReadReal(text, value);
}
inline bool SafeStringToNumeric(StringPiece text, double* value) {
  return internal::ReadReal(text, value);
}
template <typename Int>
bool SafeStringToNumeric(StringPiece text, Int* value) {
  return internal::ReadInteger(text, 10, value);
}
template <typename Int>
bool HexStringToUint64(StringPiece text, Int* value) {
  return internal::ReadInteger(text, 16, value);
}

// "1.5K", "12", "2.00M".
inline std::string HumanReadableNum(int64 value) {
  const char* const units = " KMBTPE";
  double size = static_cast<double>(value < 0 ? -value : value);
  int unit = 0;
  for (; size >= 1000 && unit < 6; ++unit) size /= 1000;
  const char* const sign = value < 0 ? "-" : "";
  return unit == 0 ? internal::Format("%lld", value) : internal::Format("%s%.2f%c", sign, size, units[unit]);
}
// "1.50KiB", "12B".
inline std::string HumanReadableNumBytes(int64 bytes) {
  const char* const units = " KMGTPE";
  double size = static_cast<double>(bytes < 0 ? -bytes : bytes);
  int unit = 0;
  for (; size >= 1024 && unit < 6; ++unit) size /= 1024;
  const char* const sign = bytes < 0 ? "-" : "";
  return unit == 0 ? internal::Format("%lldB", bytes) : internal::Format("%s%.2f%ciB", sign, size, units[unit]);
}

}  // namespace strings
}  // namespace OPSRUN_HIDDEN
