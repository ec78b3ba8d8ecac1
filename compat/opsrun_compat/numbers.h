// opsrun_compat/numbers.h: logarithms, ratios and overflow; conversion of text to numbers, and of numbers to text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include <charconv>
#include <cmath>
#include <numeric>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/strings.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// Log2Floor64(0) is -1.
inline int Log2Floor64(uint64 n) {
  return n == 0 ? -1 : 63 - __builtin_clzll(n);
}
inline int Log2Floor(uint32 n) {
  return Log2Floor64(n);
}
inline int Log2Ceiling64(uint64 n) {
  return n == 0 ? -1 : Log2Floor64(n) + ((n & (n - 1)) != 0);
}
inline int Log2Ceiling(uint32 n) {
  return Log2Ceiling64(n);
}
inline uint32 NextPowerOfTwo(uint32 n) {
  return n == 0 ? 1 : uint32{1} << Log2Ceiling(n);
}
inline uint64 NextPowerOfTwo64(uint64 n) {
  return n == 0 ? 1 : uint64{1} << Log2Ceiling64(n);
}

// -1 if the result overflows, or if one of the numbers is negative.
inline int64 MultiplyWithoutOverflow(int64 x, int64 y) {
  int64 product = 0;
  return x < 0 || y < 0 || __builtin_mul_overflow(x, y, &product) ? -1 : product;
}
inline int64 AddWithoutOverflow(int64 x, int64 y) {
  int64 sum = 0;
  return x < 0 || y < 0 || __builtin_add_overflow(x, y, &sum) ? -1 : sum;
}

class MathUtil {
 public:
  template <typename T>
  static T CeilOfRatio(T numerator, T denominator) {
    const T rounded = numerator / denominator;
    const bool is_exact = rounded * denominator == numerator;
    return static_cast<T>(rounded + (!is_exact && (numerator < 0) == (denominator < 0)));
  }
  template <typename T>
  static T FloorOfRatio(T numerator, T denominator) {
    const T rounded = numerator / denominator;
    const bool is_exact = rounded * denominator == numerator;
    return static_cast<T>(rounded - (!is_exact && (numerator < 0) != (denominator < 0)));
  }
  template <typename T>
  static T GCD(T x, T y) {
    return std::gcd(x, y);
  }
  template <typename T>
  static T IPow(T base, int exponent) {
    T power = 1;
    for (; exponent > 0; --exponent) power *= base;
    return power;
  }
};

namespace internal {

inline std::string_view WithoutBlanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// False unless the whole text, apart from surrounding spaces, is a number in range. An integer must not have a "+".
template <typename Int>
bool ReadInteger(std::string_view text, int base, Int* value) {
  text = WithoutBlanks(text);
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, *value, base);
  return !text.empty() && read.ec == std::errc() && read.ptr == end;
}
template <typename Real>
bool ReadReal(std::string_view text, Real* value) {
  const std::string copy(WithoutBlanks(text));
  char* end = nullptr;
  *value = sizeof(Real) == sizeof(float) ? static_cast<Real>(strtof(copy.c_str(), &end))
                                         : static_cast<Real>(strtod(copy.c_str(), &end));
  return !copy.empty() && *end == '\0';
}

// Numbers in StrCat, here and in the layer of abseil's names: Hex, Dec and their padding.
namespace padded {

// The minimum number of characters: shorter numbers are padded with zeros or, from 66 on, with spaces.
// clang-format off
enum PadSpec : int {
  kNoPad = 1,
  kZeroPad2, kZeroPad3, kZeroPad4, kZeroPad5, kZeroPad6, kZeroPad7, kZeroPad8, kZeroPad9, kZeroPad10, kZeroPad11,
  kZeroPad12, kZeroPad13, kZeroPad14, kZeroPad15, kZeroPad16, kZeroPad17, kZeroPad18, kZeroPad19, kZeroPad20,
  kSpacePad2 = 66,
  kSpacePad3, kSpacePad4, kSpacePad5, kSpacePad6, kSpacePad7, kSpacePad8, kSpacePad9, kSpacePad10, kSpacePad11,
  kSpacePad12, kSpacePad13, kSpacePad14, kSpacePad15, kSpacePad16, kSpacePad17, kSpacePad18, kSpacePad19, kSpacePad20,
};
// clang-format on

// Negative numbers are printed in two's complement of their type.
class Hex {
 public:
  template <typename Int>
  explicit Hex(Int number, PadSpec pad = kNoPad)
      : Hex(static_cast<unsigned long long>(static_cast<std::make_unsigned_t<Int>>(number)), int{pad}, "%0*llx",
            "%*llx") {}

  operator std::string_view() const { return {digits_, static_cast<size_t>(size_)}; }

 protected:
  template <typename Number>
  Hex(Number number, int pad, const char* zeros, const char* spaces)
      : size_(snprintf(digits_, sizeof(digits_), pad > 64 ? spaces : zeros, pad > 64 ? pad - 64 : pad, number)) {}

 private:
  char digits_[24];
  int size_;
};
struct Dec : Hex {
  template <typename Int>
  explicit Dec(Int number, PadSpec pad = kNoPad)
      : Hex(static_cast<std::conditional_t<std::is_signed_v<Int>, long long, unsigned long long>>(number), int{pad},
            std::is_signed_v<Int> ? "%0*lld" : "%0*llu", std::is_signed_v<Int> ? "%*lld" : "%*llu") {}
};

}  // namespace padded

}  // namespace internal

namespace strings {

// False unless the whole text, apart from surrounding spaces, is a number in range.
template <typename T>
bool SafeStringToNumeric(StringPiece text, T* value) {
  if constexpr (std::is_floating_point_v<T>) {
    return internal::ReadReal(text, value);
  } else {
    return internal::ReadInteger(text, 10, value);
  }
}
// Functions, so that sources may declare or overload them.
inline bool safe_strto32(StringPiece text, int32* value) {
  return SafeStringToNumeric(text, value);
}
inline bool safe_strtou32(StringPiece text, uint32* value) {
  return SafeStringToNumeric(text, value);
}
inline bool safe_strtof(StringPiece text, float* value) {
  return SafeStringToNumeric(text, value);
}
inline bool safe_strtod(StringPiece text, double* value) {
  return SafeStringToNumeric(text, value);
}
// For both 64-bit integer types of C++.
template <typename Int64>
bool safe_strto64(StringPiece text, Int64* value) {
  return SafeStringToNumeric(text, value);
}
template <typename Uint64>
bool safe_strtou64(StringPiece text, Uint64* value) {
  return SafeStringToNumeric(text, value);
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
  // Each unit up to the value that would be printed as 1000.
  static constexpr Unit kUnits[] = {{1e-6, 0.9995e-3, "us"},       {1e-3, 0.9995, "ms"},      {1, kMinute, "s"},
                                    {kMinute, kHour, "min"},       {kHour, kDay, "h"},        {kDay, 30 * kDay, "days"},
                                    {kYear / 12, kYear, "months"}, {kYear, HUGE_VAL, "years"}};
  const char* const sign = seconds < 0 ? "-" : "";
  const double time = std::abs(seconds);
  const Unit* unit = kUnits;
  while (time >= unit->until) ++unit;
  return internal::Format("%s%.3g %s", sign, time / unit->seconds, unit->name);
}

using namespace internal::padded;

}  // namespace strings

}  // namespace OPSRUN_HIDDEN
