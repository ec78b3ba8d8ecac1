// opsrun_compat/numbers.h: strings::safe_strto32 and relatives: text read as numbers, numbers as text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>

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
template <typename T>
bool SafeStringToNumeric(StringPiece text, T* value) {
  if constexpr (std::is_floating_point_v<T>) {
    return internal::ReadReal(text, value);
  } else {
    return internal::ReadInteger(text, 10, value);
  }
}
template <typename Int>
bool HexStringToUint64(StringPiece text, Int* value) {
  return internal::ReadInteger(text, 16, value);
}

// "999", "1.50k", "2.00M", "1.00B", "3.00T", "1.5E+18".
inline std::string HumanReadableNum(int64 value) {
  const char* const sign = value < 0 ? "-" : "";
  const double size = std::abs(static_cast<double>(value));
  if (size < 1e3) return internal::Format("%lld", value);
  if (size >= 1e15) return internal::Format("%s%.3G", sign, size);
  const auto in = [&](double unit, char name) { return internal::Format("%s%.2f%c", sign, size / unit, name); };
  return size < 1e6 ? in(1e3, 'k') : size < 1e9 ? in(1e6, 'M') : size < 1e12 ? in(1e9, 'B') : in(1e12, 'T');
}
// "12B", "1.5KiB", "3.00GiB".
inline std::string HumanReadableNumBytes(int64 bytes) {
  const char* const units = " KMGTPE";
  double size = std::abs(static_cast<double>(bytes));
  int unit = 0;
  for (; size >= 1024; ++unit) size /= 1024;
  if (unit == 0) return internal::Format("%lldB", bytes);
  return internal::Format(unit == 1 ? "%s%.1f%ciB" : "%s%.2f%ciB", bytes < 0 ? "-" : "", size, units[unit]);
}

}  // namespace strings
}  // namespace OPSRUN_HIDDEN
