// plugins/math_ops/complex_ops.h: the parts of complex numbers; and functions that C++ lacks, or implements with less
// precision.
//
// In the latter, complex64 is computed as complex128 and rounded once, so that intermediate results do not overflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>

#include "arithmetic.h"

namespace math_ops {

#define SIMPLE_FUNCTION(Name, expression)  \
  struct Name {                            \
    template <typename T>                  \
    constexpr auto operator()(T x) const { \
      return expression;                   \
    }                                      \
  };
SIMPLE_FUNCTION(Conj, T(x.real(), -x.imag()))
SIMPLE_FUNCTION(Real, x.real())
SIMPLE_FUNCTION(Imag, x.imag())
#undef SIMPLE_FUNCTION

typedef TypeList<float, double> ComplexParts;

template <template <typename> class Complex>
struct MakeComplex {
  template <typename T>
  constexpr Complex<T> operator()(T real, T imag) const {
    return {real, imag};
  }
};

// The functions below are templates of the class of complex numbers, which is another one on a GPU.

template <template <typename> class Complex, typename Part>
constexpr Complex<double> Widened(Complex<Part> z) {
  return Complex<double>(z);
}

inline std::complex<double> ExpOf(std::complex<double> z) {
  return std::exp(z);
}

// x + y = sum + error, exactly. Requires: |x| >= |y|. Source: Dekker, A floating-point technique, 1971.
constexpr double SumOf(double x, double y, double* error) {
  const double sum = x + y;
  *error = y - (sum - x);
  return sum;
}

// |1 + z|^2 - 1 = 2 x + x^2 + y^2, precise even where the terms cancel. Requires: the squares do not overflow.
template <typename T>
constexpr T SquaredLengthLessOne(T x, T y) {
  const T xx = RoundedProduct(x, x), yy = RoundedProduct(y, y);
  T terms[] = {2 * x, xx, yy, std::fma(x, x, -xx), std::fma(y, y, -yy)};
  T sum = 0, rest = 0;
  for (int i = 1; i < 5; ++i) {  // sorts them by their size
    const T term = terms[i];
    int k = i;
    for (; k > 0 && std::abs(term) > std::abs(terms[k - 1]); --k) terms[k] = terms[k - 1];
    terms[k] = term;
  }
  for (const T term : terms) {
    T error = 0;
    sum = std::abs(sum) >= std::abs(term) ? SumOf(sum, term, &error) : SumOf(term, sum, &error);
    rest += error;
  }
  return sum + rest;
}

// log(|1 + z|). Requires: z is finite.
template <typename T>
constexpr T LogOfLength1p(T x, T y) {
  const T u = std::abs(1 + x), v = std::abs(y), large = std::max(u, v), small = std::min(u, v);
  if (large > 0x1p500) return std::log(large) + std::log1p(small / large * (small / large)) / 2;
  if (large < 0.5) return std::log(std::hypot(u, v));
  return std::log1p(SquaredLengthLessOne(x, y)) / 2;
}

// Infinite if a part is infinite, even if the other is NaN, like std::log.
template <template <typename> class Complex>
constexpr Complex<double> Log1pOf(Complex<double> z) {
  const double x = z.real(), y = z.imag();
  const bool infinite = std::isinf(x) || std::isinf(y);
  return {infinite ? HUGE_VAL : LogOfLength1p(x, y), std::atan2(y, 1 + x)};
}

// Near 0, cos(y) - 1 = -2 sin(y / 2)^2 avoids cancellation; elsewhere ExpOf handles overflow.
template <template <typename> class Complex>
constexpr Complex<double> Expm1Of(Complex<double> z) {
  const double x = z.real(), y = z.imag();
  if (!(std::abs(x) < 1)) return ExpOf(z) - 1.0;
  const double half = std::sin(y / 2);
  return {std::expm1(x) * std::cos(y) - 2 * half * half, std::exp(x) * std::sin(y)};
}

// 1 / (1 + exp(-z)), with an exponential that does not overflow. Where 1 + exp(-z) may be close to 0, it is (exp(x) +
// cos(y) + i sin(y)) / (2 (cosh(x) + cos(y))), with cosh(x) + cos(y) = 2 sinh(x / 2)^2 + 2 cos(y / 2)^2.
template <template <typename> class Complex>
constexpr Complex<double> SigmoidOf(Complex<double> z) {
  const double x = z.real(), y = z.imag();
  if (std::abs(x) < 1) {
    const double sinh = std::sinh(x / 2), cos = std::cos(y / 2), half = 2 * (sinh * sinh + cos * cos);
    return {(std::expm1(x) + 2 * cos * cos) / half / 2, std::sin(y) / half / 2};
  }
  const Complex<double> power = ExpOf(x < 0 ? z : -z);
  return (x < 0 ? power : Complex<double>(1)) / (power + 1.0);
}

// z / |z|. If one part is infinite, the direction of z; NaN if both are.
template <template <typename> class Complex>
constexpr Complex<double> SignOf(Complex<double> z) {
  const double x = z.real(), y = z.imag(), large = std::max(std::abs(x), std::abs(y));
  if (std::isinf(x) != std::isinf(y) && x == x && y == y)
    return {std::isinf(x) ? std::copysign(1.0, x) : std::copysign(0.0, x),
            std::isinf(y) ? std::copysign(1.0, y) : std::copysign(0.0, y)};
  if (large == 0 && x == 0 && y == 0) return z;
  const int exponent = std::ilogb(large);
  const double u = std::scalbn(x, -exponent), v = std::scalbn(y, -exponent), length = std::hypot(u, v);
  return {u / length, v / length};
}

// sign(NaN) is NaN.
struct Sign {
  template <typename T>
  constexpr T operator()(T x) const {
    if constexpr (kIsComplex<T>) {
      return static_cast<T>(SignOf(Widened(x)));
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>((x > 0) - (x < 0));
    } else {
      return x > 0 ? T(1) : x < 0 ? T(-1) : x == 0 ? T(0) : x;
    }
  }
};

#define COMPLEX_FUNCTION(Name, ...)                   \
  struct Complex##Name {                              \
    template <typename T>                             \
    constexpr T operator()(T z) const {               \
      return static_cast<T>(__VA_ARGS__(Widened(z))); \
    }                                                 \
  };
COMPLEX_FUNCTION(Log1p, Log1pOf)
COMPLEX_FUNCTION(Expm1, Expm1Of)
COMPLEX_FUNCTION(Sigmoid, SigmoidOf)
#undef COMPLEX_FUNCTION

}  // namespace math_ops
