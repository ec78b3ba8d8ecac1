// plugins/math_ops/arithmetic.h: sums, differences and products that wrap, quotients, and functions of one number
// that are exact.
//
// Here and in other headers, functions of elements are constexpr so that nvcc compiles them for GPUs, too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include "types.h"

namespace math_ops {

// A product that is rounded before it is added to something. nvcc would fuse the two: then z * conj(z) and z / z would
// have an imaginary part, and a difference of products could be infinite on a GPU where it is NaN on the CPU.
template <typename T>
constexpr T RoundedProduct(T x, T y) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_same_v<T, float>) {
    return __fmul_rn(x, y);
  } else {
    return __dmul_rn(x, y);
  }
#else
  return x * y;
#endif
}

struct Add {
  static constexpr bool kIgnoresSign = true;
  template <typename T>
  constexpr T operator()(T x, T y) const {
    return static_cast<T>(static_cast<Wrapping<T>>(x) + static_cast<Wrapping<T>>(y));
  }
};

struct Sub {
  static constexpr bool kIgnoresSign = true;
  template <typename T>
  constexpr T operator()(T x, T y) const {
    return static_cast<T>(static_cast<Wrapping<T>>(x) - static_cast<Wrapping<T>>(y));
  }
};

struct Mul {
  static constexpr bool kIgnoresSign = true;
  template <typename T>
  constexpr T operator()(T x, T y) const {
    if constexpr (kIsComplex<T>) {  // std::complex would recover infinities, which takes three times as long
      return T(RoundedProduct(x.real(), y.real()) - RoundedProduct(x.imag(), y.imag()),
               RoundedProduct(x.real(), y.imag()) + RoundedProduct(x.imag(), y.real()));
    } else {
      return static_cast<T>(static_cast<Wrapping<T>>(x) * static_cast<Wrapping<T>>(y));
    }
  }
};

struct Neg {
  static constexpr bool kIgnoresSign = true;
  template <typename T>
  constexpr T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(x));
    return -x;
  }
};

struct SquaredDifference {
  template <typename T>
  constexpr T operator()(T x, T y) const {
    const T difference = Sub()(x, y);
    if constexpr (kIsComplex<T>) {
      const auto re = difference.real(), im = difference.imag();
      return T(RoundedProduct(re, re) + RoundedProduct(im, im));
    } else {
      return Mul()(difference, difference);
    }
  }
};

// Integer division by 0 traps, and so does dividing the smallest integer by -1; -1 is handled separately.
struct Division {
  static constexpr const char* kProblem = "y is 0, and integers cannot be divided by 0,";
  template <typename T>
  static constexpr bool Defined(T, T y) {
    return y != 0;
  }
  template <typename T>
  static constexpr bool IsMinusOne(T y) {
    return std::is_signed_v<T> && y == static_cast<T>(-1);
  }
};

struct Div : Division {
  template <typename T>
  constexpr T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>) {
      return IsMinusOne(y) ? Neg()(x) : static_cast<T>(x / y);
    } else if constexpr (kIsComplex<T>) {
      return Quotient(x, y);
    } else {
      return x / y;
    }
  }

 private:
  // Divides both by the larger part of y, so that squares do not overflow; large operands are scaled down, so that sums
  // do not either. Division by 0 is division by the real number 0.
  template <typename T>
  static constexpr T Quotient(T x, T y) {
    typedef typename T::value_type Part;
    constexpr Part kLarge = std::numeric_limits<Part>::max() / 4;
    const Part re = y.real(), im = y.imag();
    const bool swap = std::abs(re) < std::abs(im);
    const Part large = swap ? im : re, small = swap ? re : im;
    const Part down = std::abs(large) > kLarge ? Part(0.25) : Part(1);
    const Part ratio = small == 0 ? small : small / large, scale = large * down + RoundedProduct(small * down, ratio);
    const Part x_down = std::abs(x.real()) > kLarge || std::abs(x.imag()) > kLarge ? Part(0.25) : Part(1);
    const Part a = (swap ? x.imag() : x.real()) * x_down, b = (swap ? x.real() : x.imag()) * x_down;
    if (large == 0) return T(x.real() / std::abs(re), x.imag() / std::abs(re));
    const Part up = down / x_down;
    const Part product = RoundedProduct(a, ratio);
    return T((a + RoundedProduct(b, ratio)) / scale * up, (swap ? product - b : b - product) / scale * up);
  }
};

// Remainders, and quotients that are rounded down.

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
  // A double represents quotients below 2^24 exactly.
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

struct Abs {
  template <typename T>
  constexpr T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) return x < 0 ? Neg()(x) : x;
    return std::abs(x);
  }
};

struct Square {
  static constexpr bool kIgnoresSign = true;
  template <typename T>
  constexpr T operator()(T x) const {
    if constexpr (kIsComplex<T>) {  // the difference may be finite even if both squares overflow
      const auto re = std::abs(x.real()), im = std::abs(x.imag());
      return T((re - im) * (re / 2 + im / 2) * 2, RoundedProduct(x.real(), x.imag()) * 2);
    } else {
      return Mul()(x, x);
    }
  }
};

struct Reciprocal {
  template <typename T>
  constexpr T operator()(T x) const {
    if constexpr (kIsComplex<T>) {
      return T(OfComplex(x));
    } else {
      return Div()(T(1), x);
    }
  }

 private:
  // complex64 is computed as complex128.
  template <template <typename> class Complex, typename Part>
  static constexpr Complex<double> OfComplex(Complex<Part> x) {
    return Div()(Complex<double>(1), Complex<double>(x));
  }
};

}  // namespace math_ops
