// plugins/math_ops/division.h: what divisions leave, and quotients that are rounded down.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "arithmetic.h"

namespace math_ops {

struct Mod : Division {
  template <typename T>
  constexpr T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>) {
      return IsMinusOne(y) ? T{0} : static_cast<T>(x % y);
    } else {
      return Rest(x, y);
    }
  }

 private:
  static constexpr double Rest(double x, double y) { return std::fmod(x, y); }
  // Of quotients below 2^24, a double has all digits. 0 times infinity has none.
  static constexpr float Rest(float x, float y) {
    const double quotient = static_cast<double>(x) / y;
    if (!(std::abs(quotient) < 0x1p24) || std::isinf(y)) return std::fmod(x, y);
    const double rest = x - static_cast<double>(static_cast<int32_t>(quotient)) * y;
    return std::copysign(static_cast<float>(rest), x);
  }
};

struct FloorMod : Division {
  template <typename T>
  constexpr T operator()(T x, T y) const {
    const T rest = Mod()(x, y);
    return rest != 0 && (rest < 0) != (y < 0) ? static_cast<T>(rest + y) : rest;
  }
};

struct FloorDiv : Division {
  template <typename T>
  constexpr T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>) {
      const T rest = Mod()(x, y), quotient = Div()(x, y);
      return rest != 0 && (rest < 0) != (y < 0) ? static_cast<T>(quotient - 1) : quotient;
    } else {
      return std::floor(x / y);
    }
  }
};

// 0 where y is 0, whatever x is.
struct DivNoNan {
  template <typename T>
  constexpr T operator()(T x, T y) const {
    return y == T(0) ? T(0) : Div()(x, y);
  }
};

}  // namespace math_ops
