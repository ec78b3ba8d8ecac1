// plugins/math_ops/unary_trig.h: sin, cos, tan and atan2 for vectors.
//
// x = q pi / 2 + r with |r| <= pi / 4. The series of sin(r) and cos(r) are short; q selects the function and the sign.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "unary_simd.h"

namespace math_ops {
namespace MATH_OPS_ISA {
namespace {

// Larger angles would need more digits of pi.
template <typename T>
constexpr T kLargestAngle = T(0x1p20);
template <>
constexpr float kLargestAngle<float> = 6000.f;

// x - q pi / 2, with pi / 2 in parts whose products with q are exact, except for the last.
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
    cos = one_less + (((T(1) - one_less) - half) + z * z * CosTail(z));  // adds the rounding error of 1 - z / 2
  }

  // The sine after adding `quarters` quarters of a turn.
  Vec<T> Sine(typename Simd<T>::Bits quarters) const {
    const VecBits<T> turned = q + quarters;
    const Vec<T> magnitude = (turned & 1) != 0 ? cos : sin;
    return OfBits<T>(BitsOf<T>(magnitude) ^ ((turned & 2) << (sizeof(T) * 8 - 2)));
  }
};

// Requires, also for Cos and Tan: |x| is at most kLargestAngle.
template <typename T>
Vec<T> Sin(Vec<T> x) {
  const Vec<T> sine = Angle<T>(x).Sine(0);
  return x == T(0) ? x : sine;  // for -0
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

// atan2 of vectors.
//
// The angle of (x, y) follows from that of (|x|, |y|), and an angle above 45 degrees from its complement to 90. So the
// series of atan is needed only between 0 and 1.

// Pi is the sum of these two numbers.
template <typename T>
constexpr T kPiHigh = T(0x1.921fb54442d18p+1);
template <typename T>
constexpr T kPiLow = T(0x1.1a62633145c07p-53);
template <>
constexpr float kPiHigh<float> = 0x1.921fb6p+1f;
template <>
constexpr float kPiLow<float> = -0x1.777a5cp-24f;

// (atan(t) - t) / t^3 for z = t^2 in [0, 1], through the values at the Chebyshev nodes of this range.
MATH_OPS_INLINE Vec<float> AtanTail(Vec<float> z) {
  return Polynomial<float>(z, -0.3333333308f, 0.1999994932f, -0.1428400379f, 0.1108826163f, -0.08931826777f,
                           0.07031914250f, -0.04896051403f, 0.02630500111f, -0.009144629761f, 0.001488691939f);
}
MATH_OPS_INLINE Vec<double> AtanTail(Vec<double> z) {
  return Polynomial<double>(z, -0.3333333333333333283, 0.199999999999995532, -0.1428571428564840404,
                            0.1111111110723479901, -0.09090908969557403136, 0.07692305354678654812,
                            -0.06666636435777692702, 0.05882074956371294569, -0.052612657357094544,
                            0.04752086773576656136, -0.04308119655330471268, 0.03872640214042632453,
                            -0.03375013200161973426, 0.02756794229734467666, -0.02023870698639351579,
                            0.01275617290769429747, -0.006575683344151698632, 0.002622977891906089023,
                            -0.0007518472526973821523, 0.0001368724853148122, -0.00001183250541755569279);
}

template <typename T>
MATH_OPS_INLINE Vec<T> Atan2(Vec<T> y, Vec<T> x) {
  const Vec<T> up = Abs<T>(y), along = Abs<T>(x);
  const auto is_steep = up > along;
  const Vec<T> small = is_steep ? along : up, large = is_steep ? up : along, t = small / large, z = t * t;
  const Vec<T> of_equals = large == T(0) ? All(T(0)) : All(kPiHigh<T> / 4);  // 0/0 and inf/inf are NaN
  Vec<T> angle = small == large ? of_equals : t + t * z * AtanTail(z);
  angle = is_steep ? (kPiHigh<T> / 2 - angle) + kPiLow<T> / 2 : angle;
  const auto is_left = (BitsOf<T>(x) & kSignBit<T>) != 0;  // also for -0
  angle = is_left ? (kPiHigh<T> - angle) + kPiLow<T> : angle;
  return WithSignOf<T>(angle, y);
}

template <typename T>
void RunAtan2(const T* y, const T* x, T* out, int64_t n) {
  constexpr int64_t kStep = kLanes<T>;
  int64_t i = 0;
  for (; i + kStep <= n; i += kStep) Store<T>(Atan2<T>(Load(y + i), Load(x + i)), out + i);
  if (i == n) return;
  T y_rest[kStep] = {}, x_rest[kStep] = {};
  for (int64_t k = 0; i + k < n; ++k) {
    y_rest[k] = y[i + k];
    x_rest[k] = x[i + k];
  }
  Store<T>(Atan2<T>(Load(y_rest), Load(x_rest)), y_rest);
  for (int64_t k = 0; i + k < n; ++k) out[i + k] = y_rest[k];
}

}  // namespace
}  // namespace MATH_OPS_ISA

}  // namespace math_ops
