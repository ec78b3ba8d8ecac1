// plugins/math_ops/unary_pow.h: pow of vectors: the exponential of y log(x).
//
// An error of y log(x) is a relative error of the power, so the logarithm needs about ten bits more than the type has:
// it is a sum of two numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <math.h>

#if defined(__FMA__)
#include <immintrin.h>
#endif

#include "unary_log.h"

namespace math_ops {
namespace MATH_OPS_ISA {
namespace {

// a b - c with one rounding; elsewhere, only if a b is c rounded.
#if defined(__AVX512F__)
inline Vec<float> ProductLess(Vec<float> a, Vec<float> b, Vec<float> c) {
  return (Vec<float>)_mm512_fmsub_ps((__m512)a, (__m512)b, (__m512)c);
}
inline Vec<double> ProductLess(Vec<double> a, Vec<double> b, Vec<double> c) {
  return (Vec<double>)_mm512_fmsub_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
#elif defined(__FMA__)
inline Vec<float> ProductLess(Vec<float> a, Vec<float> b, Vec<float> c) {
  return (Vec<float>)_mm256_fmsub_ps((__m256)a, (__m256)b, (__m256)c);
}
inline Vec<double> ProductLess(Vec<double> a, Vec<double> b, Vec<double> c) {
  return (Vec<double>)_mm256_fmsub_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
#else
// Products of halves of the digits are exact.
template <typename T>
Vec<T> SplitProductLess(Vec<T> a, Vec<T> b, Vec<T> c) {
  constexpr typename Simd<T>::Bits kUpper = ~((typename Simd<T>::Bits{1} << (Simd<T>::kFraction / 2 + 1)) - 1);
  const Vec<T> a_high = OfBits<T>(BitsOf<T>(a) & kUpper), a_low = a - a_high;
  const Vec<T> b_high = OfBits<T>(BitsOf<T>(b) & kUpper), b_low = b - b_high;
  return ((a_high * b_high - c) + a_high * b_low + a_low * b_high) + a_low * b_low;
}
inline Vec<float> ProductLess(Vec<float> a, Vec<float> b, Vec<float> c) {
  return SplitProductLess<float>(a, b, c);
}
inline Vec<double> ProductLess(Vec<double> a, Vec<double> b, Vec<double> c) {
  return SplitProductLess<double>(a, b, c);
}
#endif

// high + low, where low is no more than some rounding errors of high.
template <typename T>
struct Two {
  Vec<T> high, low;
};

// a + b. Requires: |a| >= |b|, or a is 0.
template <typename T>
Two<T> Sum(Vec<T> a, Vec<T> b) {
  const Vec<T> sum = a + b;
  return {sum, b - (sum - a)};
}
template <typename T>
Two<T> Product(Vec<T> a, Vec<T> b) {
  const Vec<T> product = a * b;
  return {product, ProductLess(a, b, product)};
}
template <typename T>
Two<T> Product(Two<T> a, Two<T> b) {
  const Two<T> product = Product<T>(a.high, b.high);
  return {product.high, product.low + (a.high * b.low + a.low * b.high)};
}

template <typename T>
constexpr T kTwoThirdsHigh = T(0x1.5555555555555p-1);
template <>
constexpr float kTwoThirdsHigh<float> = 0x1.555556p-1f;
template <typename T>
constexpr T kTwoThirdsLow = T(0x1.5555555555555p-55);
template <>
constexpr float kTwoThirdsLow<float> = -0x1.555556p-26f;

// (2 atanh(s) / s - 2 - 2/3 z) / z^2 for z = s^2: polynomials through the values at the Chebyshev nodes of its range.
inline Vec<float> AtanhTailAfterTwo(Vec<float> z) {
  return Polynomial<float>(z, 0.399999999f, 0.2857153242f, 0.2220469409f, 0.1912230339f);
}
inline Vec<double> AtanhTailAfterTwo(Vec<double> z) {
  return Polynomial<double>(z, 0.3999999999999999981, 0.2857142857142937704, 0.2222222222164927772,
                            0.1818181833688932538, 0.1538459480277200142, 0.1333481337368701188, 0.1170600412801681647,
                            0.1172560453647541341);
}

// log(x) as in unary_log.h. Requires: x is positive, finite and normal.
template <typename T>
Two<T> LogInTwo(Vec<T> x) {
  const LogParts<T> parts(x);
  const Two<T> divisor = Sum<T>(All(T(2)), parts.f);
  const Vec<T> inverse = T(1) / divisor.high;
  Two<T> s = {parts.f * inverse, {}};
  s.low = (-ProductLess(s.high, divisor.high, parts.f) - s.high * divisor.low) * inverse;
  const Two<T> z = Product<T>(s, s);
  const Two<T> third_term = Sum<T>(All(kTwoThirdsHigh<T>), z.high * AtanhTailAfterTwo(z.high) + kTwoThirdsLow<T>);
  const Two<T> tail = Product<T>(z, third_term);
  Two<T> factor = Sum<T>(All(T(2)), tail.high);
  factor.low += tail.low;
  const Two<T> log = Product<T>(s, factor);
  const Two<T> sum = Sum<T>(parts.k * kLog2High<T>, log.high);
  return Sum<T>(sum.high, sum.low + (log.low + parts.k * kLog2Low<T>));
}

// What the vectors serve. Exponents that are larger hardly ever give finite powers, and have no place for a fraction.
template <typename T>
constexpr T kLargestExponent = T(uint64_t{1} << (Simd<T>::kFraction - 1));

// x^y. Requires: x is positive, finite and normal; |y| <= kLargestExponent.
template <typename T>
inline __attribute__((always_inline)) Vec<T> PositivePower(Vec<T> x, Vec<T> y) {
  const Two<T> log = LogInTwo<T>(x);
  Two<T> product = Product<T>(y, log.high);
  product.low += y * log.low;
  const Vec<T> limit = product.high > T(0) ? All(kExpMax<T>) : All(kExpMin<T>);
  const auto is_large = Abs<T>(product.high) > -kExpMin<T>;
  product = {is_large ? limit : product.high, is_large ? Vec<T>{} : product.low};
  // As in ExpParts, but r has two parts as well.
  const Vec<T> n = (product.high * T(1.4426950408889634) + kRounder<T>)-kRounder<T>;
  const Two<T> r = Sum<T>(product.high - n * kLog2High<T>, product.low - n * kLog2Low<T>);
  const Vec<T> less_one = r.high + (r.high * r.high * ExpTail(r.high) + r.low);
  return TimesPowerOfTwo<T>(less_one + T(1), n);
}

// Also where x is not positive: makes x^y from |x|^y. Requires: neither is NaN; |y| <= kLargestExponent.
template <typename T>
Vec<T> PowerOfAnySign(Vec<T> x, Vec<T> y, Vec<T> power) {
  const Vec<T> rounded = y + kRounder<T>;
  const VecBits<T> is_integer = (VecBits<T>)(rounded - kRounder<T> == y);
  const VecBits<T> sign_if_odd = is_integer & (BitsOf<T>(rounded) << (sizeof(T) * 8 - 1));
  const Vec<T> of_zero = y < T(0) ? All(Infinity<T>()) : (y == T(0) ? All(T(1)) : Vec<T>{});
  power = x == T(0) ? of_zero : power;
  power = OfBits<T>(BitsOf<T>(power) | (sign_if_odd & BitsOf<T>(x)));
  return (is_integer | (VecBits<T>)(x >= T(0))) != 0 ? power : All(NotANumber<T>());
}

inline float ScalarPower(float x, float y) {
  return powf(x, y);
}
inline double ScalarPower(double x, double y) {
  return pow(x, y);
}

template <typename T>
bool Any(VecBits<T> v) {
  typename Simd<T>::Bits any = 0;
  for (int64_t k = 0; k < kLanes<T>; ++k) any |= v[k];
  return any != 0;
}

// Requires: n is at most the elements of whole vectors that can be read.
template <typename T>
void PowersOfBlock(const T* x, const T* y, T* out, int64_t n) {
  VecBits<T> not_positive = {}, not_served = {};
  for (int64_t i = 0; i < n; i += kLanes<T>) {
    const Vec<T> base = Load(x + i), size = Abs<T>(base);
    not_positive |= (VecBits<T>)!(base >= kSmallestNormal<T>);
    not_served |= (VecBits<T>)!(size < Infinity<T>()) | (VecBits<T>)!(Abs<T>(Load(y + i)) <= kLargestExponent<T>);
  }
  for (int64_t i = 0; i < n; i += kLanes<T>) {
    Store<T>(PositivePower<T>(Abs<T>(Load(x + i)), Load(y + i)), out + i);
  }
  if (!Any<T>(not_positive | not_served)) return;
  for (int64_t i = 0; i < n; i += kLanes<T>) {
    Store<T>(PowerOfAnySign<T>(Load(x + i), Load(y + i), Load(out + i)), out + i);
  }
  for (int64_t i = 0; i < n; ++i) {
    const T size = x[i] < T(0) ? -x[i] : x[i];
    const bool served = (size >= kSmallestNormal<T> || size == T(0)) && size < Infinity<T>() &&
                        y[i] <= kLargestExponent<T> && y[i] >= -kLargestExponent<T>;
    if (!served) out[i] = ScalarPower(x[i], y[i]);
  }
}

template <typename T>
void RunPow(const T* x, const T* y, T* out, int64_t n) {
  constexpr int64_t kBlock = 256;
  T powers[kBlock], last_x[kBlock], last_y[kBlock];  // powers: since `out` may be x or y
  for (; n > 0; x += kBlock, y += kBlock, out += kBlock, n -= kBlock) {
    const int64_t size = n < kBlock ? n : kBlock;
    for (int64_t i = 0; size < kBlock && i < kBlock; ++i) {
      last_x[i] = x[i < n ? i : 0];
      last_y[i] = y[i < n ? i : 0];
    }
    PowersOfBlock(size < kBlock ? last_x : x, size < kBlock ? last_y : y, powers, size);
    __builtin_memcpy(out, powers, static_cast<size_t>(size) * sizeof(T));
  }
}

}  // namespace
}  // namespace MATH_OPS_ISA
}  // namespace math_ops
