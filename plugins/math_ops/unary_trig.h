// plugins/math_ops/unary_trig.h: sin, cos and tan of vectors.
//
// x = q pi / 2 + r with |r| <= pi / 4. The series of sine and cosine of r are short; q says which of them it is, and
// with which sign.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "unary_simd.h"

namespace math_ops {
namespace MATH_OPS_ISA {
namespace {

// Larger angles need more digits of pi.
template <typename T>
constexpr T kLargestAngle = T(0x1p20);
template <>
constexpr float kLargestAngle<float> = 6000.f;

// x - q pi / 2, with pi / 2 in parts whose products with q are exact, but for the last.
inline Vec<float> LessQuarters(Vec<float> x, Vec<float> q) {
  return (((x - q * 0x1.92p+0f) - q * 0x1.fb4p-12f) - q * 0x1.444p-24f) - q * 0x1.68c234p-39f;
}
inline Vec<double> LessQuarters(Vec<double> x, Vec<double> q) {
  return ((x - q * 0x1.921fb544p+0) - q * 0x1.0b4611a6p-34) - q * 0x1.3198a2e037073p-69;
}

// The series of (sin(r) - r) / r^3 and of (cos(r) - 1 + r^2 / 2) / r^4, for z = r^2.
inline Vec<float> SinTail(Vec<float> z) {
  return Polynomial<float>(z, -1 / 6.f, 1 / 120.f, -1 / 5040.f, 1 / 362880.f);
}
inline Vec<float> CosTail(Vec<float> z) {
  return Polynomial<float>(z, 1 / 24.f, -1 / 720.f, 1 / 40320.f, -1 / 3628800.f);
}
inline Vec<double> SinTail(Vec<double> z) {
  return Polynomial<double>(z, -1 / 6., 1 / 120., -1 / 5040., 1 / 362880., -1 / 39916800., 1 / 6227020800.,
                            -1 / 1307674368000.);
}
inline Vec<double> CosTail(Vec<double> z) {
  return Polynomial<double>(z, 1 / 24., -1 / 720., 1 / 40320., -1 / 3628800., 1 / 479001600., -1 / 87178291200.,
                            1 / 20922789888000.);
}

template <typename T>
struct Angle {
  VecBits<T> q;     // its last two bits
  Vec<T> sin, cos;  // of r

  explicit Angle(Vec<T> x) {
    const Vec<T> rounded = x * T(0.63661977236758134308) + kRounder<T>;
    q = BitsOf<T>(rounded);
    const Vec<T> r = LessQuarters(x, rounded - kRounder<T>), z = r * r;
    sin = r + r * z * SinTail(z);
    const Vec<T> half = z * T(0.5), one_less = T(1) - half;
    cos = one_less + (((T(1) - one_less) - half) + z * z * CosTail(z));  // with what rounding 1 - z / 2 has dropped
  }

  // The sine after `quarters` more quarters of a turn.
  Vec<T> Sine(typename Simd<T>::Bits quarters) const {
    const VecBits<T> turned = q + quarters;
    const Vec<T> magnitude = (turned & 1) != 0 ? cos : sin;
    return OfBits<T>(BitsOf<T>(magnitude) ^ ((turned & 2) << (sizeof(T) * 8 - 2)));
  }
};

// Requires, like Cos and Tan: |x| is at most kLargestAngle.
template <typename T>
Vec<T> Sin(Vec<T> x) {
  const Vec<T> sine = Angle<T>(x).Sine(0);
  return x == T(0) ? x : sine;  // of -0
}
template <typename T>
Vec<T> Cos(Vec<T> x) {
  return Angle<T>(x).Sine(1);
}
template <typename T>
Vec<T> Tan(Vec<T> x) {
  const Angle<T> angle(x);
  const auto odd = (angle.q & 1) != 0;
  const Vec<T> tangent = (odd ? -angle.cos : angle.sin) / (odd ? angle.sin : angle.cos);
  return x == T(0) ? x : tangent;
}

}  // namespace
}  // namespace MATH_OPS_ISA
}  // namespace math_ops
