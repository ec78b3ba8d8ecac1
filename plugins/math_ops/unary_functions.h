// plugins/math_ops/unary_functions.h: functions of one number that need no approximation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arithmetic.h"

namespace math_ops {

struct Abs {
  template <typename T>
  constexpr T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) return x < 0 ? Neg()(x) : x;
    return std::abs(x);
  }
};

// NaN for NaN.
struct Sign {
  template <typename T>
  constexpr T operator()(T x) const {
    if constexpr (kIsComplex<T>) {
      return x == T(0) ? x : x / std::abs(x);
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>((x > 0) - (x < 0));
    } else {
      return x > 0 ? T(1) : x < 0 ? T(-1) : x == 0 ? T(0) : x;
    }
  }
};

struct Square {
  static constexpr bool kIgnoresSign = true;
  template <typename T>
  constexpr T operator()(T x) const {
    return Mul()(x, x);
  }
};

struct Reciprocal {
  template <typename T>
  constexpr T operator()(T x) const {
    return T(1) / x;
  }
};

// NaN for NaN.
struct Relu {
  template <typename T>
  constexpr T operator()(T x) const {
    if constexpr (std::is_unsigned_v<T>) return x;
    return x < T(0) ? T(0) : x;
  }
};

}  // namespace math_ops
