// plugins/math_ops/arithmetic.h: sums, differences and products that wrap.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types.h"

namespace math_ops {

struct Add {
  static constexpr bool kIgnoresSign = true;
  template <typename T>
  T operator()(T x, T y) const {
    return static_cast<T>(static_cast<Wrapping<T>>(x) + static_cast<Wrapping<T>>(y));
  }
};

struct Sub {
  static constexpr bool kIgnoresSign = true;
  template <typename T>
  T operator()(T x, T y) const {
    return static_cast<T>(static_cast<Wrapping<T>>(x) - static_cast<Wrapping<T>>(y));
  }
};

struct Mul {
  static constexpr bool kIgnoresSign = true;
  template <typename T>
  T operator()(T x, T y) const {
    if constexpr (kIsComplex<T>) {  // std::complex would repair infinities, which takes three times as long
      return T(x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real());
    } else {
      return static_cast<T>(static_cast<Wrapping<T>>(x) * static_cast<Wrapping<T>>(y));
    }
  }
};

struct Neg {
  static constexpr bool kIgnoresSign = true;
  template <typename T>
  T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(x));
    return -x;
  }
};

}  // namespace math_ops
