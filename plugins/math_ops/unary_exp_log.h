// plugins/math_ops/unary_exp_log.h: exp, log and functions based on them, for vectors.
//
// x = n log(2) + r with |r| <= log(2) / 2, so exp(x) is 2^n times exp(r), which a short Taylor series approximates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "unary_simd.h"

namespace math_ops {
namespace MATH_OPS_ISA {
namespace {

// log(2) in two parts. The first has so few bits that its products with exponents are exact.
template <typename T>
constexpr T kLog2High = T(0x1.62e42feep-1);
template <>
constexpr float kLog2High<float> = 0x1.62cp-1f;
template <typename T>
constexpr T kLog2Low = T(0x1.a39ef35793c76p-33);
template <>
constexpr float kLog2Low<float> = 0x1.217f7ep-12f;

// The series of (exp(r) - 1 - r) / r^2.
inline Vec<float> ExpTail(Vec<float> r) {
  return Polynomial<float>(r, 1 / 2.f, 1 / 6.f, 1 / 24.f, 1 / 120.f, 1 / 720.f, 1 / 5040.f);
}

// A polynomial through the values at the Chebyshev nodes of the range of r, two terms shorter than the Taylor series.
inline Vec<double> ExpTail(Vec<double> r) {
  return Polynomial<double>(r, 0.5000000000000001022, 0.1666666666666666745, 0.04166666666662412787,
                            0.008333333333330061833, 0.00138888889172137169, 0.0001984126986305361688,
                            0.00002480152129595437513, 2.755726845999706477e-6, 2.762008844540974816e-7,
                            2.510038549551031908e-8);
}

// x = n log(2) + r, and exp(r) - 1. Requires: |n| is at most twice the largest exponent.
template <typename T>
struct ExpParts {
  Vec<T> n, less_one;

  explicit ExpParts(Vec<T> x) {
    n = (x * T(1.4426950408889634) + kRounder<T>)-kRounder<T>;
    const Vec<T> r = (x - n * kLog2High<T>)-n * kLog2Low<T>;
    less_one = r + r * r * ExpTail(r);
  }
};

// Limits of the argument of exp: beyond them the result is infinite or 0.
template <typename T>
constexpr T kExpMax = T(710);
template <>
constexpr float kExpMax<float> = 89.f;
template <typename T>
constexpr T kExpMin = T(-746);
template <>
constexpr float kExpMin<float> = -104.f;

// x 2^n, multiplied in two steps, since 2^n may be out of range.
template <typename T>
Vec<T> TimesPowerOfTwo(Vec<T> x, Vec<T> n) {
  const Vec<T> half = (n * T(0.5) + kRounder<T>)-kRounder<T>;
  return x * PowerOfTwo<T>(half + kRounder<T>) * PowerOfTwo<T>((n - half) + kRounder<T>);
}

template <typename T>
MATH_OPS_INLINE Vec<T> Exp(Vec<T> x) {
  x = All(kExpMax<T>) < x ? All(kExpMax<T>) : x;  // in this order it is one instruction; NaN is kept
  x = All(kExpMin<T>) > x ? All(kExpMin<T>) : x;
  const ExpParts<T> parts(x);
  return TimesPowerOfTwo<T>(parts.less_one + T(1), parts.n);
}

// exp(x) - 1 = 2^n (exp(r) - 1) + (2^n - 1), computed with 2^(n - 1), which does not overflow.
template <typename T>
MATH_OPS_INLINE Vec<T> Expm1(Vec<T> x) {
  Vec<T> y = x > kExpMax<T> ? All(kExpMax<T>) : x;
  y = y < T(-50) ? All(T(-50)) : y;
  const ExpParts<T> parts(y);
  const Vec<T> half_power = PowerOfTwo<T>((parts.n - T(1)) + kRounder<T>);
  const Vec<T> result = (half_power * parts.less_one + (half_power - T(0.5))) * T(2);
  constexpr T kTiny = T(0x1p-60);
  return Abs<T>(x) < kTiny ? x : result;
}

// tanh(x) = (1 - t) / (1 + t) for t = exp(-2x), computed for |x|, so that t is at most 1.
template <typename T>
Vec<T> Tanh(Vec<T> x) {
  const Vec<T> less_one = Expm1<T>(Abs<T>(x) * T(-2));
  return WithSignOf<T>(Abs<T>(less_one) / (less_one + T(2)), x);
}

// 1 / (1 + exp(-x)), computed from exp(-|x|), which is at most 1.
template <typename T>
Vec<T> Sigmoid(Vec<T> x) {
  const Vec<T> e = Exp<T>(-Abs<T>(x));
  return (x < T(0) ? e : All(T(1))) / (e + T(1));
}

// Log and functions based on it.
//
// x = 2^k (1 + f) with 1 + f between sqrt(1/2) and sqrt(2). For s = f / (2 + f), log(1 + f) = 2 atanh(s), whose series
// is short because |s| < 0.172.

// The series of (2 atanh(s) - 2 s) / s^3, for z = s^2.
inline Vec<float> AtanhTail(Vec<float> z) {
  return Polynomial<float>(z, 2 / 3.f, 2 / 5.f, 2 / 7.f, 2 / 9.f, 2 / 11.f);
}

// A polynomial through the values at the Chebyshev nodes of the range of z, three terms shorter than the series.
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
    // Added to the bits of a number of at least sqrt(1/2), it makes the exponent at least that of 1.
    constexpr typename Simd<T>::Bits kUp = sizeof(T) == 4 ? 0x004afb0du : 0x00095f619980c433ull;
    const VecBits<T> exponent = (BitsOf<T>(x) + kUp) >> Simd<T>::kFraction;
    // An integer in the last bits of 2^(bits of the fraction), minus that power, is the integer as a float.
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
  // 2 s = f - s f, and f is exact.
  const Vec<T> correction = s * (f - z * AtanhTail(z));
  return k * kLog2High<T> + (f - (correction - (k * kLog2Low<T> + small)));
}

// The logarithm where x, the argument, is not both positive and finite.
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

// The sum u = 1 + x is rounded; its rounding error, divided by u, is added to log(u).
template <typename T>
MATH_OPS_INLINE Vec<T> Log1p(Vec<T> x) {
  const Vec<T> u = x + T(1);
  const Vec<T> error = u > T(2) ? T(1) - (u - x) : x - (u - T(1));
  const LogParts<T> parts(u);
  const Vec<T> log = LogAtEdges<T>(u, LogOf<T>(parts.k, parts.f, error / u));
  constexpr T kTiny = T(0x1p-60);
  return Abs<T>(x) < kTiny ? x : log;
}

// log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)), which does not overflow.
template <typename T>
Vec<T> Softplus(Vec<T> x) {
  return (x < T(0) ? Vec<T>{} : x) + Log1p<T>(Exp<T>(-Abs<T>(x)));
}

}  // namespace
}  // namespace MATH_OPS_ISA

}  // namespace math_ops
