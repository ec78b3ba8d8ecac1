// plugins/math_ops/unary_log.h: log and functions made from it, of vectors.
//
// x = 2^k (1 + f) with 1 + f between the roots of 1/2 and 2. For s = f / (2 + f), log(1 + f) is twice the area tangent
// of s, whose series is short because |s| < 0.172.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "unary_exp.h"

namespace math_ops {
namespace MATH_OPS_ISA {
namespace {

// The series of (2 atanh(s) - 2 s) / s^3, for z = s^2.
inline Vec<float> AtanhTail(Vec<float> z) {
  return Polynomial<float>(z, 2 / 3.f, 2 / 5.f, 2 / 7.f, 2 / 9.f, 2 / 11.f);
}
// For doubles, a polynomial through the values at the Chebyshev nodes of the range of z, which is three terms shorter.
inline Vec<double> AtanhTail(Vec<double> z) {
  return Polynomial<double>(z, 0.6666666666666669729, 0.3999999999989827278, 0.2857142862653361593,
                            0.2222221104377685824, 0.1818289575011919404, 0.1533150161114532771, 0.1461916613488797137);
}

// x = 2^k (1 + f). Requires: x is positive, finite and normal.
template <typename T>
struct LogParts {
  Vec<T> k, f;

  explicit LogParts(Vec<T> x) {
    constexpr typename Simd<T>::Bits kOne = typename Simd<T>::Bits{Simd<T>::kBias} << Simd<T>::kFraction;
    // To the bits of numbers from the root of 1/2, this adds what makes their exponent at least that of 1.
    constexpr typename Simd<T>::Bits kUp = sizeof(T) == 4 ? 0x004afb0du : 0x00095f619980c433ull;
    const VecBits<T> exponent = (BitsOf<T>(x) + kUp) >> Simd<T>::kFraction;
    // As the last bits of 2^(bits of the fraction), an integer becomes a number.
    constexpr T kShift = static_cast<T>(uint64_t{1} << Simd<T>::kFraction);
    k = OfBits<T>(exponent | BitsOf<T>(All(kShift))) - (kShift + T(Simd<T>::kBias));
    f = OfBits<T>(BitsOf<T>(x) - (exponent << Simd<T>::kFraction) + kOne) - T(1);
  }
};

// k log(2) + log(1 + f) + small.
template <typename T>
Vec<T> LogOf(Vec<T> k, Vec<T> f, Vec<T> small) {
  const Vec<T> s = f / (f + T(2));
  const Vec<T> z = s * s;
  // 2 s = f - s f, where f has no error.
  const Vec<T> correction = s * (f - z * AtanhTail(z));
  return k * kLog2High<T> + (f - (correction - (k * kLog2Low<T> + small)));
}

// What a logarithm is where x, the argument, is not both positive and finite.
template <typename T>
Vec<T> LogAtEdges(Vec<T> x, Vec<T> log) {
  log = x < Infinity<T>() ? log : x;  // infinity and NaN
  log = x == T(0) ? All(-Infinity<T>()) : log;
  return x < T(0) ? All(NotANumber<T>()) : log;
}

template <typename T>
constexpr T kSmallestNormal = T(0x1p-1022);
template <>
constexpr float kSmallestNormal<float> = 0x1p-126f;

template <typename T>
Vec<T> Log(Vec<T> x) {
  const auto subnormal = x < kSmallestNormal<T>;
  constexpr T kScale = static_cast<T>(uint64_t{1} << (Simd<T>::kFraction + 2));
  const LogParts<T> parts(subnormal ? x * kScale : x);
  const Vec<T> k = subnormal ? parts.k - T(Simd<T>::kFraction + 2) : parts.k;
  return LogAtEdges<T>(x, LogOf<T>(k, parts.f, Vec<T>{}));
}

// The sum u = 1 + x is rounded; its error, divided by u, is added to log(u).
template <typename T>
MATH_OPS_INLINE Vec<T> Log1p(Vec<T> x) {
  const Vec<T> u = x + T(1);
  const Vec<T> error = u > T(2) ? T(1) - (u - x) : x - (u - T(1));
  const LogParts<T> parts(u);
  const Vec<T> log = LogAtEdges<T>(u, LogOf<T>(parts.k, parts.f, error / u));
  constexpr T kTiny = T(0x1p-60);
  return Abs<T>(x) < kTiny ? x : log;
}

// log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)), where no exponential is infinite.
template <typename T>
Vec<T> Softplus(Vec<T> x) {
  return (x < T(0) ? Vec<T>{} : x) + Log1p<T>(Exp<T>(-Abs<T>(x)));
}

}  // namespace
}  // namespace MATH_OPS_ISA
}  // namespace math_ops
