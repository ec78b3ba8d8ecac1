// plugins/math_ops/unary_functions.h: functions of one number that are exact.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arithmetic.h"
#include "complex_ops.h"

namespace math_ops {

struct Abs {
  template <typename T>
  constexpr T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) return x < 0 ? Neg()(x) : x;
    return std::abs(x);
  }
};

// sign(NaN) is NaN.
struct Sign {
  template <typename T>
  constexpr T operator()(T x) const {
    if constexpr (kIsComplex<T>) {
      return static_cast<T>(SignOf(Complex128(x)));
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
    if constexpr (kIsComplex<T>) {  // the difference may be finite even if both squares overflow
      const auto re = std::abs(x.real()), im = std::abs(x.imag());
      return T((re - im) * (re / 2 + im / 2) * 2, x.real() * x.imag() * 2);
    } else {
      return Mul()(x, x);
    }
  }
};

struct Reciprocal {
  template <typename T>
  constexpr T operator()(T x) const {
    if constexpr (std::is_same_v<T, complex64>) return T(Div()(Complex128(1), Complex128(x)));
    return Div()(T(1), x);
  }
};

}  // namespace math_ops
