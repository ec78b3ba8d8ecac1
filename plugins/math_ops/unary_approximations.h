// plugins/math_ops/unary_approximations.h: exp, log, sin, cos, tan, atan2 and functions based on them, for vectors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "unary_simd.h"

namespace math_ops {
namespace MATH_OPS_ISA {
namespace {

// x = n log(2) + r with |r| <= log(2) / 2, so exp(x) is 2^n times exp(r), which a short polynomial approximates.

// log(2) in two parts. The first has so few bits that its products with exponents are exact.
template <typename T>
constexpr T kLog2High = OfType<T>(0x1.62cp-1f, 0x1.62e42feep-1);
template <typename T>
constexpr T kLog2Low = OfType<T>(0x1.217f7ep-12f, 0x1.a39ef35793c76p-33);

// (exp(r) - 1 - r) / r^2, fitted so that the largest relative error of exp(r), 3.8e-9, is least.
inline Vec<float> ExpTail(Vec<float> r) {
  return Polynomial<float>(r, 0.4999999367f, 0.1666652115f, 0.04166834326f, 0.008368674866f, 0.001381679957f);
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
constexpr T kExpMax = OfType<T>(89.f, 710);
template <typename T>
constexpr T kExpMin = OfType<T>(-104.f, -746);

// x 2^n, which is multiplied in two steps where it is no instruction, since 2^n may be out of range.
template <typename T>
Vec<T> TimesPowerOfTwo(Vec<T> x, Vec<T> n) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == sizeof(float)) {
    return (Vec<T>)_mm512_scalef_ps((__m512)x, (__m512)n);
  } else {
    return (Vec<T>)_mm512_scalef_pd((__m512d)x, (__m512d)n);
  }
#else
  const Vec<T> half = (n * T(0.5) + kRounder<T>)-kRounder<T>;
  return x * PowerOfTwo<T>(half + kRounder<T>) * PowerOfTwo<T>((n - half) + kRounder<T>);
#endif
}

template <typename T>
MATH_OPS_INLINE Vec<T> ExpOfAtMost0(Vec<T> x) {
  const ExpParts<T> parts(Larger<T>(All(kExpMin<T>), x));
  return TimesPowerOfTwo<T>(parts.less_one + T(1), parts.n);
}
template <typename T>
MATH_OPS_INLINE Vec<T> Exp(Vec<T> x) {
  return ExpOfAtMost0<T>(Smaller<T>(All(kExpMax<T>), x));
}

// exp(x) - 1 = 2^n (exp(r) - 1) + (2^n - 1), computed with 2^(n - 1), which does not overflow.
template <typename T>
MATH_OPS_INLINE Vec<T> Expm1(Vec<T> x) {
  const ExpParts<T> parts(Larger<T>(All(T(-50)), Smaller<T>(All(kExpMax<T>), x)));
  const Vec<T> half_power = PowerOfTwo<T>((parts.n - T(1)) + kRounder<T>);
  const Vec<T> result = (half_power * parts.less_one + (half_power - T(0.5))) * T(2);
  constexpr T kTiny = T(0x1p-60);
  return Abs<T>(x) < kTiny ? x : result;
}

// tanh(x) = (1 - t) / (1 + t) for t = exp(-2x), computed for |x|, so that t is at most 1.
template <typename T>
MATH_OPS_INLINE Vec<T> Tanh(Vec<T> x) {
  const Vec<T> less_one = Expm1<T>(Abs<T>(x) * T(-2));
  return WithSignOf<T>(Abs<T>(less_one) / (less_one + T(2)), x);
}

// tanh(x) / x is nearly a ratio of polynomials of x^2, with a relative error of 2.2e-8 until tanh(x) rounds to 1. It
// was fitted by weighted least squares, with the weights raised where the error was large.
template <>
MATH_OPS_INLINE Vec<float> Tanh<float>(Vec<float> x) {
  constexpr float kFirstOne = 9.02f, kAboveOne = 10;  // the ratio of the latter is 1 + 1.8e-6
  Vec<float> magnitude = Abs<float>(x);
  magnitude = magnitude > kFirstOne ? All(kAboveOne) : magnitude;
  const Vec<float> z = magnitude * magnitude;
  const Vec<float> above = Polynomial<float>(z, 1, 0.1338264597f, 0.003497403712f, 2.063472524e-05f, 1.338237039e-08f);
  const Vec<float> below = Polynomial<float>(z, 1, 0.4671596732f, 0.0258841686f, 0.0003288420161f, 7.789547844e-07f);
  const Vec<float> ratio = magnitude * above / below;
  return WithSignOf<float>(Smaller<float>(All(1.f), ratio), x);
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
constexpr T kSmallestNormal = OfType<T>(0x1p-126f, 0x1p-1022);

template <typename T>
Vec<T> Log(Vec<T> x) {
  const auto subnormal = x < kSmallestNormal<T>;
  constexpr T kScale = static_cast<T>(uint64_t{1} << (Simd<T>::kFraction + 2));
  const LogParts<T> parts(subnormal ? x * kScale : x);
  const Vec<T> k = subnormal ? parts.k - T(Simd<T>::kFraction + 2) : parts.k;
  return LogAtEdges<T>(x, LogOf<T>(k, parts.f, Vec<T>{}));
}

// The sum u = 1 + x is rounded; its rounding error, divided by u, is added to log(u). A few bits of the quotient are
// enough, so u = 2^k (1 + f) is inverted by the first terms of the series of 1 / (1 + f).
template <typename T>
MATH_OPS_INLINE Vec<T> Log1p(Vec<T> x) {
  const Vec<T> u = x + T(1);
  const Vec<T> error = u > T(2) ? T(1) - (u - x) : x - (u - T(1));
  const LogParts<T> parts(u);
  const Vec<T> inverse = PowerOfTwo<T>(kRounder<T> - parts.k) * Polynomial<T>(parts.f, 1, -1, 1, -1, 1);
  const Vec<T> log = LogAtEdges<T>(u, LogOf<T>(parts.k, parts.f, error * inverse));
  constexpr T kTiny = T(0x1p-60);
  return Abs<T>(x) < kTiny ? x : log;
}

// log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)), which does not overflow.
template <typename T>
Vec<T> Softplus(Vec<T> x) {
  return Larger<T>(Vec<T>{}, x) + Log1p<T>(Exp<T>(-Abs<T>(x)));
}

// Sin, cos and tan.
//
// x = q pi / 2 + r with |r| <= pi / 4. The series of sin(r) and cos(r) are short; q selects the function and the sign.

// Larger angles would need more digits of pi.
template <typename T>
constexpr T kLargestAngle = OfType<T>(6000.f, 0x1p20);

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
constexpr T kPiHigh = OfType<T>(0x1.921fb6p+1f, 0x1.921fb54442d18p+1);
template <typename T>
constexpr T kPiLow = OfType<T>(-0x1.777a5cp-24f, 0x1.1a62633145c07p-53);

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

}  // namespace
}  // namespace MATH_OPS_ISA
}  // namespace math_ops
