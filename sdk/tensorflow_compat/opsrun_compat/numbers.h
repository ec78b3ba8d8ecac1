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
// The same without spaces.
template <typename Int>
bool HexStringToUint64(StringPiece text, Int* value) {
  return internal::WithoutBlanks(text).size() == text.size() && internal::ReadInteger(text, 16, value);
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

// "3.2 s", "1.5 min", "2.25 h", "5.1 days", "1.2 years"; shorter times in ms and us.
inline std::string HumanReadableElapsedTime(double seconds) {
  struct Unit {
    double seconds, until;
    const char* name;
  };
  static constexpr double kMinute = 60, kHour = 60 * kMinute, kDay = 24 * kHour, kYear = 365.2425 * kDay;
  // Up to what would be printed as 1000.
  static constexpr Unit kUnits[] = {{1e-6, 0.9995e-3, "us"},       {1e-3, 0.9995, "ms"},      {1, kMinute, "s"},
                                    {kMinute, kHour, "min"},       {kHour, kDay, "h"},        {kDay, 30 * kDay, "days"},
                                    {kYear / 12, kYear, "months"}, {kYear, HUGE_VAL, "years"}};
  const char* const sign = seconds < 0 ? "-" : "";
  const double time = std::abs(seconds);
  const Unit* unit = kUnits;
  while (time >= unit->until) ++unit;
  return internal::Format("%s%.3g %s", sign, time / unit->seconds, unit->name);
}

}  // namespace strings
}  // namespace OPSRUN_HIDDEN
