// plugins/math_ops/simple_functions.h: comparisons, rounding, classification of floats, and Relu.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include "types.h"

namespace math_ops {

#define COMPARISON(Name, expression)            \
  struct Name {                                 \
    template <typename T>                       \
    constexpr bool operator()(T x, T y) const { \
      return expression;                        \
    }                                           \
  };
COMPARISON(Less, x < y)
COMPARISON(LessEqual, x <= y)
COMPARISON(Greater, x > y)
COMPARISON(GreaterEqual, x >= y)
#undef COMPARISON
struct Equal {
  static constexpr bool kIgnoresSign = true;
  template <typename T>
  constexpr bool operator()(T x, T y) const {
    return x == y;
  }
};
struct NotEqual {
  static constexpr bool kIgnoresSign = true;
  template <typename T>
  constexpr bool operator()(T x, T y) const {
    return x != y;
  }
};

// For bools, which are bytes of 0 or 1.
struct And {
  constexpr uint8_t operator()(uint8_t x, uint8_t y) const { return x & y; }
};
struct Or {
  constexpr uint8_t operator()(uint8_t x, uint8_t y) const { return x | y; }
};

// Rounding is an instruction; on x86 before SSE4.1, it is a function call.
#if defined(__SSE4_1__) || defined(__aarch64__)
inline float ToNearest(float x) {
  return __builtin_rintf(x);
}
inline double ToNearest(double x) {
  return __builtin_rint(x);
}
#else
// Adding 2^(bits of the fraction) drops the digits after the binary point, rounding half to even. Larger numbers are
// integers already.
template <typename T>
constexpr T ToNearest(T x) {
  constexpr T kLarge = std::is_same_v<T, float> ? T(0x1p23) : T(0x1p52);
  const T magnitude = std::abs(x);
  const T rounded = (magnitude + kLarge) - kLarge;
  return std::copysign(magnitude < kLarge ? rounded : magnitude, x);
}
#endif

struct Round {
  template <typename T>
  constexpr T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>) {
      return ToNearest(x);
    } else if constexpr (kIsComplex<T>) {
      return T(ToNearest(x.real()), ToNearest(x.imag()));
    } else {
      return x;
    }
  }
};
struct Floor {
  template <typename T>
  constexpr T operator()(T x) const {
    const T rounded = ToNearest(x), less = rounded > x ? T(1) : T(0);
    return std::copysign(rounded - less, x);
  }
};
struct Ceil {
  template <typename T>
  constexpr T operator()(T x) const {
    const T rounded = ToNearest(x), more = rounded < x ? T(1) : T(0);
    return std::copysign(rounded + more, x);
  }
};

// x - x is 0 if x is finite, and otherwise NaN.
struct IsFinite {
  template <typename T>
  constexpr bool operator()(T x) const {
    return x - x == T(0);
  }
};
struct IsNan {
  template <typename T>
  constexpr bool operator()(T x) const {
    return x != x;
  }
};
struct IsInf {
  template <typename T>
  constexpr bool operator()(T x) const {
    if constexpr (kIsComplex<T>)
      return (*this)(x.real()) || (*this)(x.imag());
    else
      return std::abs(x) == std::numeric_limits<T>::infinity();
  }
};

// Avoids squares, which could overflow or underflow.
struct ComplexAbs {
  template <typename T>
  constexpr auto operator()(T x) const {
    typedef typename T::value_type Part;
    constexpr Part kInfinity = std::numeric_limits<Part>::infinity();
    const Part re = std::abs(x.real()), im = std::abs(x.imag());
    const Part large = re > im ? re : im, small = re > im ? im : re;  // both are parts, even if one is NaN
    const Part ratio = large == Part(0) ? small : small / large;
    const Part length = large * std::sqrt(ratio * ratio + Part(1));
    return re == kInfinity || im == kInfinity ? kInfinity : length;  // infinite even if the other part is NaN
  }
};

// relu(NaN) is NaN.
struct Relu {
  template <typename T>
  constexpr T operator()(T x) const {
    if constexpr (std::is_unsigned_v<T>) return x;
    return x < T(0) ? T(0) : x;
  }
};

// 0 where the feature is NaN, even if the gradient is infinite or NaN.
struct ReluGrad {
  template <typename T>
  constexpr T operator()(T gradient, T feature) const {
    return feature > T(0) ? gradient : T(0);
  }
};

}  // namespace math_ops
