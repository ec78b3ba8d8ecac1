// opsrun_compat/bits.h: Log2Floor, NextPowerOfTwo, MathUtil and MultiplyWithoutOverflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/types.h"
#include "opsrun_compat/basics.h"

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

}  // namespace OPSRUN_HIDDEN
