// plugins/math_ops/gpu_complex_functions.cu.h: functions of complex numbers on a GPU.
//
// complex64 is computed as complex128 and rounded once. Infinities, NaN and branch cuts are those of C's functions,
// which the CPU's kernels call: see Annex G of the C standard.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "complex_ops.h"
#include "gpu_complex.cu.h"

namespace math_ops {

typedef GpuComplex<double> GpuComplex128;

constexpr GpuComplex128 operator/(GpuComplex128 x, GpuComplex128 y) {
  return Div()(x, y);
}

constexpr double kMostOfExp = 709;  // exp of it does not overflow

// factor * exp(x), where exp(x) may overflow.
template <typename T>
constexpr T TimesExp(T factor, T x) {
  for (int i = 0; i < 2 && x > kMostOfExp; ++i, x -= kMostOfExp) factor *= std::exp(T(kMostOfExp));
  return factor * std::exp(x);
}

template <typename T>
constexpr GpuComplex<T> ExpOf(GpuComplex<T> z) {
  const T x = z.real(), y = z.imag();
  if (y == 0) return {std::exp(x), y};
  if (std::isinf(x) && !std::isfinite(y))
    return x > 0 ? GpuComplex<T>(x, y - y) : GpuComplex<T>(0, std::copysign(0, y));
  return {TimesExp(std::cos(y), x), TimesExp(std::sin(y), x)};
}

// log(|z|).
template <typename T>
constexpr T LogOfLength(T x, T y) {
  const T u = std::abs(x), v = std::abs(y), large = std::max(u, v), small = std::min(u, v);
  if (std::isinf(u) || std::isinf(v)) return HUGE_VAL;
  if (u != u || v != v) return u + v;
  if (large >= 0.5 && large <= 2) return std::log1p(SquaredLengthLessOne(large - 1, small)) / 2;
  if (large > 0x1p500 || (large > 0 && large < 0x1p-500))
    return std::log(large) + std::log1p(small / large * (small / large)) / 2;
  return std::log(std::hypot(u, v));
}

template <typename T>
constexpr GpuComplex<T> LogOf(GpuComplex<T> z) {
  return {LogOfLength(z.real(), z.imag()), std::atan2(z.imag(), z.real())};
}

// The square of the root's larger part is (|z| + |x|) / 2, which is computed with an even power of 2 taken out.
template <typename T>
constexpr GpuComplex<T> SqrtOf(GpuComplex<T> z) {
  const T x = z.real(), y = z.imag(), zero = std::copysign(T(0), y);
  if (std::isinf(y)) return {std::abs(y), y};
  if (std::isinf(x))
    return x > 0 ? GpuComplex<T>(x, y != y ? y : zero) : GpuComplex<T>(y != y ? y : T(0), std::copysign(x, y));
  if (x != x || y != y) return {x + y, x + y};
  if (x == 0 && y == 0) return {0, y};
  const int exponent = std::ilogb(std::max(std::abs(x), std::abs(y))) / 2;
  const T u = std::scalbn(std::abs(x), -2 * exponent), v = std::scalbn(y, -2 * exponent);
  const T large = std::scalbn(std::sqrt((std::hypot(u, v) + u) / 2), exponent), small = y / large / 2;
  return x < 0 ? GpuComplex<T>(std::abs(small), std::copysign(large, y)) : GpuComplex<T>(large, small);
}

// 0 if the root is infinite, whatever its other part is.
template <typename T>
constexpr GpuComplex<T> RsqrtOf(GpuComplex<T> z) {
  const GpuComplex<T> root = SqrtOf(z);
  if (std::isinf(root.real()) || std::isinf(root.imag())) return {0, std::copysign(T(0), -root.imag())};
  return Div()(GpuComplex<T>(1), root);
}

// sinh(x + i y) = sinh(x) cos(y) + i cosh(x) sin(y), and cosh(x + i y) = cosh(x) cos(y) + i sinh(x) sin(y).
template <bool kCosh, typename T>
constexpr GpuComplex<T> HyperbolicOf(T x, T y) {
  const T sign = std::copysign(T(1), x), nan = y - y, size = std::abs(x);
  if (y == 0) return kCosh ? GpuComplex<T>(std::cosh(x), sign * y) : GpuComplex<T>(std::sinh(x), y);
  if (!std::isfinite(y)) {
    return kCosh ? GpuComplex<T>(std::isinf(x) ? size : nan, x == 0 ? x : nan)
                 : GpuComplex<T>(std::isinf(x) || x == 0 ? x : nan, nan);
  }
  const T cos = std::cos(y), sin = std::sin(y);
  if (size > kMostOfExp) {
    const T half = std::exp(T(kMostOfExp)) / 2, rest = size - kMostOfExp;
    const T of_cos = TimesExp(cos * half, rest), of_sin = TimesExp(sin * half, rest);
    return kCosh ? GpuComplex<T>(of_cos, sign * of_sin) : GpuComplex<T>(sign * of_cos, of_sin);
  }
  return kCosh ? GpuComplex<T>(std::cosh(x) * cos, std::sinh(x) * sin)
               : GpuComplex<T>(std::sinh(x) * cos, std::cosh(x) * sin);
}

template <typename T>
constexpr GpuComplex<T> SinOf(GpuComplex<T> z) {
  const GpuComplex<T> turned = HyperbolicOf<false>(z.imag(), z.real());
  return {turned.imag(), turned.real()};
}

template <typename T>
constexpr GpuComplex<T> CosOf(GpuComplex<T> z) {
  return HyperbolicOf<true>(-z.imag(), z.real());
}

// (sinh(x) cosh(x) + i sin(y) cos(y)) / (sinh(x)^2 + cos(y)^2).
template <typename T>
constexpr GpuComplex<T> TanhOf(GpuComplex<T> z) {
  const T x = z.real(), y = z.imag(), sign = std::copysign(T(1), x);
  if (y == 0) return {std::tanh(x), y};
  if (std::isinf(x)) return {sign, std::copysign(T(0), std::isfinite(y) ? std::sin(2 * y) : y)};
  if (!std::isfinite(y)) return {x == 0 ? x : y - y, y - y};
  const T cos = std::cos(y), sin = std::sin(y), size = std::abs(x);
  if (size > kMostOfExp / 2) return {sign, 4 * sin * cos * std::exp(-2 * size)};
  const T sinh = std::sinh(x), divisor = sinh * sinh + cos * cos;
  return {sinh * std::cosh(x) / divisor, sin * cos / divisor};
}

template <typename T>
constexpr GpuComplex<T> TanOf(GpuComplex<T> z) {
  const GpuComplex<T> turned = TanhOf(GpuComplex<T>(z.imag(), z.real()));
  return {turned.imag(), turned.real()};
}

// If the logarithm is infinite and its other part NaN, as that of inf + i NaN, C's product is infinite too.
template <typename T>
constexpr GpuComplex<T> PowOf(GpuComplex<T> x, GpuComplex<T> y) {
  const GpuComplex<T> log = LogOf(x), power = Mul()(y, log);
  const bool is_nan = power.real() != power.real() && power.imag() != power.imag();
  const T size = log.real();
  return ExpOf(is_nan && std::isinf(size) ? GpuComplex<T>(size * y.real(), size * y.imag()) : power);
}

}  // namespace math_ops
