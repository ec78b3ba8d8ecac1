// plugins/math_ops/unary_atan2.h: atan2 of vectors.
//
// The angle of (x, y) follows from that of (|x|, |y|), and the angle above 45 degrees from what it lacks to 90. So the
// series of atan is needed between 0 and 1 alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "unary_simd.h"

namespace math_ops {
namespace MATH_OPS_ISA {
namespace {

// Pi is the sum of these two.
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
  const Vec<T> of_equals = large == T(0) ? All(T(0)) : All(kPiHigh<T> / 4);  // zeros and infinities have no quotient
  Vec<T> angle = small == large ? of_equals : t + t * z * AtanTail(z);
  angle = is_steep ? (kPiHigh<T> / 2 - angle) + kPiLow<T> / 2 : angle;
  const auto is_left = (BitsOf<T>(x) & kSignBit<T>) != 0;  // of -0, too
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
