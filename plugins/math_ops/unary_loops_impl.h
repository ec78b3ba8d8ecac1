// plugins/math_ops/unary_loops_impl.h: the loops of TranscendentalLoops in namespace math_ops::MATH_OPS_ISA, as kLoops.
//
// The includer defines MATH_OPS_ISA. Everything here is in that namespace and, but for kLoops, in this object file
// only; no inline function of another header is used. So code for one instruction set cannot end up where another is
// expected.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <math.h>

#include "isa_kernels.h"
#include "softmax_rows.h"

// Placed before loops: each element is read before it is written. clang checks that at run time.
#ifdef __clang__
#define MATH_OPS_IVDEP
#else
#define MATH_OPS_IVDEP _Pragma("GCC ivdep")
#endif

namespace math_ops {
namespace MATH_OPS_ISA {
namespace {

// Powers. An absolute error of y log(x) is a relative error of the power, so the logarithm needs more bits than the
// type has: it is a sum of two numbers.

inline float ScalarPower(float x, float y) {
  return powf(x, y);
}
inline double ScalarPower(double x, double y) {
  return pow(x, y);
}

#if defined(__FMA__) || defined(__aarch64__)
inline float Fma(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
inline double Fma(double x, double y, double z) {
  return __builtin_fma(x, y, z);
}
// x y + z, rounded once. In an expression, contraction would be the compiler's choice. The loop becomes one
// instruction.
template <typename T>
Vec<T> Fma(Vec<T> x, Vec<T> y, Vec<T> z) {
  Vec<T> sum;
  for (int64_t k = 0; k < kLanes<T>; ++k) sum[k] = Fma(x[k], y[k], z[k]);
  return sum;
}

// A sum of two numbers, where `low` is of the order of the rounding error of `high`.
template <typename T>
struct Two {
  Vec<T> high, low;
};

// Requires: |x| is not smaller than |y|, or is 0.
template <typename T>
Two<T> Sum(Vec<T> x, Vec<T> y) {
  const Vec<T> high = x + y;
  return {high, (x - high) + y};
}
template <typename T>
Two<T> Product(Vec<T> x, Vec<T> y) {
  const Vec<T> high = x * y;
  return {high, Fma<T>(x, y, -high)};
}
template <typename T>
Two<T> Product(Two<T> x, Two<T> y) {
  const Two<T> product = Product<T>(x.high, y.high);
  return {product.high, Fma<T>(x.high, y.low, Fma<T>(x.low, y.high, product.low))};
}

// 2 atanh(s) - 2 s = 2/3 s^3 + .. is less than a hundredth of 2 s, so a single float has nearly all of its digits. The
// polynomial is fitted with the rounded value of 2/3.
MATH_OPS_INLINE Two<float> AtanhCorrection(Two<float> s) {
  const Vec<float> z = s.high * s.high;
  return {s.high * (z * Polynomial<float>(z, 2 / 3.f, 0.3999973536f, 0.2857278585f, 0.2294176966f)), 2.f * s.low * z};
}
MATH_OPS_INLINE Two<double> AtanhCorrection(Two<double> s) {
  const Two<double> z = Product<double>(s, s);
  // (2 atanh(s) / s - 2 - 2/3 z) / z^2 through the values at the Chebyshev nodes of its range.
  const Vec<double> tail = Polynomial<double>(z.high, 0.3999999999999999981, 0.2857142857142937704,
                                              0.2222222222164927772, 0.1818181833688932538, 0.1538459480277200142,
                                              0.1333481337368701188, 0.1170600412801681647, 0.1172560453647541341);
  constexpr double kTwoThirdsLow = 0x1.5555555555555p-55;
  const Two<double> factor = Sum<double>(All(2 / 3.), Fma<double>(z.high, tail, All(kTwoThirdsLow)));
  return Product<double>(s, Product<double>(z, factor));
}

// log(x) as in unary_approximations.h. Requires: x is positive, finite and normal.
template <typename T>
MATH_OPS_INLINE Two<T> LogInTwo(Vec<T> x) {
  const LogParts<T> parts(x);
  const Vec<T> f = parts.f, k = parts.k;
  const Two<T> divisor = Sum<T>(All(T(2)), f);
  const Vec<T> inverse = T(1) / divisor.high;
  Two<T> s = {f * inverse, Vec<T>{}};
  s.low = Fma<T>(-s.high, divisor.low, Fma<T>(-s.high, divisor.high, f)) * inverse;
  const Two<T> correction = AtanhCorrection(s);
  const Two<T> most = Sum<T>(k * kLog2High<T>, s.high + s.high);
  const Two<T> log = Sum<T>(most.high, correction.high);
  return {log.high, log.low + (most.low + (T(2) * s.low + (k * kLog2Low<T> + correction.low)))};
}

// The range of y log(x) for which the power is a normal number.
template <typename T>
constexpr T kPowLimit = OfType<T>(87.f, 708);

// x^y. Where C has to compute it, because x or the power is not a normal number, it clears the lanes of *done and
// returns NaN. Requires: x is not negative.
template <typename T>
MATH_OPS_INLINE Vec<T> PositivePower(Vec<T> x, Vec<T> y, VecBits<T>* done) {
  const Two<T> log = LogInTwo<T>(x), exponent = Product<T>(y, log.high);
  const Vec<T> rounded = exponent.high * T(1.4426950408889634) + kRounder<T>, n = rounded - kRounder<T>;
  const Vec<T> low = Fma<T>(y, log.low, exponent.low);
  const Vec<T> r = (exponent.high - n * kLog2High<T>)-(n * kLog2Low<T> - low);
  const Vec<T> root = (r * r * ExpTail(r) + r) + T(1);
  const Vec<T> power = OfBits<T>(BitsOf<T>(root) + (BitsOf<T>(rounded) << Simd<T>::kFraction));
  const auto is_done = (Abs<T>(exponent.high) < kPowLimit<T>)&(x < Infinity<T>()) & (x >= kSmallestNormal<T>);
  *done &= (VecBits<T>)is_done;
  return is_done ? power : All(NotANumber<T>());
}

// x^y for a negative x, from (-x)^y: negated if y is odd, and NaN if y is not an integer.
template <typename T>
Vec<T> NegativePower(Vec<T> y, Vec<T> power) {
  const Vec<T> rounded = y + kRounder<T>;
  constexpr T kNoFraction = kRounder<T> / 3;
  const auto is_integer = (rounded - kRounder<T> == y) & (Abs<T>(y) < kNoFraction);
  return is_integer ? OfBits<T>(BitsOf<T>(power) ^ (BitsOf<T>(rounded) << (sizeof(T) * 8 - 1))) : All(NotANumber<T>());
}

template <typename T>
bool Any(VecBits<T> v) {
  typename Simd<T>::Bits any = 0;
  for (int64_t k = 0; k < kLanes<T>; ++k) any |= v[k];
  return any != 0;
}

// Requires: n is a multiple of the vector length. `out` is neither x nor y.
template <typename T>
__attribute__((noinline)) void PowersOfBlock(const T* x, const T* y, T* out, int64_t n) {
  VecBits<T> done = ~VecBits<T>{}, signs = {};
  for (int64_t i = 0; i < n; i += kLanes<T>) {
    const Vec<T> base = Load(x + i);
    signs |= BitsOf<T>(base);
    Store<T>(PositivePower<T>(Abs<T>(base), Load(y + i), &done), out + i);
  }
  const bool any_negative = Any<T>(signs & kSignBit<T>);
  for (int64_t i = 0; any_negative && i < n; i += kLanes<T>) {
    const Vec<T> power = Load(out + i);
    Store<T>(Load(x + i) < T(0) ? NegativePower<T>(Load(y + i), power) : power, out + i);
  }
  if (!any_negative && !Any<T>(~done)) return;
  for (int64_t i = 0; i < n; ++i) {
    if (out[i] != out[i]) out[i] = ScalarPower(x[i], y[i]);
  }
}

template <typename T>
void RunPow(const T* x, const T* y, T* out, int64_t n) {
  constexpr int64_t kBlock = 256;
  T powers[kBlock], x_block[kBlock], y_block[kBlock];  // powers: `out` may be x or y
  for (; n > 0; x += kBlock, y += kBlock, out += kBlock, n -= kBlock) {
    const int64_t size = n < kBlock ? n : kBlock, whole = (size + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
    for (int64_t i = 0; size != whole && i < whole; ++i) {
      x_block[i] = i < size ? x[i] : T(1);
      y_block[i] = i < size ? y[i] : T(1);
    }
    PowersOfBlock(size != whole ? x_block : x, size != whole ? y_block : y, powers, whole);
    __builtin_memcpy(out, powers, static_cast<size_t>(size) * sizeof(T));
  }
}
#else
// Without fma, exact products take longer than the C library.
template <typename T>
void RunPow(const T* x, const T* y, T* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = ScalarPower(x[i], y[i]);
}
#endif

#define MATH_OPS_LOOP(Name)                               \
  template <typename T>                                   \
  void Run##Name(const T* in, T* out, int64_t n) {        \
    ForVectors(                                           \
        out, n, [](Vec<T> x) { return Name<T>(x); }, in); \
  }
MATH_OPS_LOOP(Exp)
MATH_OPS_LOOP(Expm1)
MATH_OPS_LOOP(Tanh)
MATH_OPS_LOOP(Sigmoid)
MATH_OPS_LOOP(Log)
MATH_OPS_LOOP(Log1p)
MATH_OPS_LOOP(Softplus)
#undef MATH_OPS_LOOP

template <typename T>
void RunAtan2(const T* y, const T* x, T* out, int64_t n) {
  ForVectors(
      out, n, [](Vec<T> up, Vec<T> along) { return Atan2<T>(up, along); }, y, x);
}

template <typename T>
bool IsLargeAngle(T x) {
  return !((x < T(0) ? -x : x) <= kLargestAngle<T>);  // true for NaN
}
// Whether one of the angles is large.
template <typename T>
bool HasLargeAngle(const T* in, int64_t n) {
  VecBits<T> large = {};
  int64_t i = 0;
  for (; i + kLanes<T> <= n; i += kLanes<T>) large |= (VecBits<T>)!(Abs<T>(Load(in + i)) <= kLargestAngle<T>);
  bool any = false;
  for (; i < n; ++i) any |= IsLargeAngle(in[i]);
  for (int64_t k = 0; k < kLanes<T>; ++k) any |= large[k] != 0;
  return any;
}

// Recomputes elements that the vectors cannot handle one by one, from a copy, since `out` may be `in`.
template <typename T, typename Function, typename Fallback>
void ForAngles(const T* in, T* out, int64_t n, const Function& f, const Fallback& fallback) {
  constexpr int64_t kBlock = 256;
  for (; n > 0; in += kBlock, out += kBlock, n -= kBlock) {
    const int64_t size = n < kBlock ? n : kBlock;
    const bool has_large = HasLargeAngle(in, size);
    T copy[kBlock];
    for (int64_t i = 0; has_large && i < size; ++i) copy[i] = in[i];
    ForVectors(out, size, f, in);
    for (int64_t i = 0; has_large && i < size; ++i) {
      if (IsLargeAngle(copy[i])) out[i] = fallback(copy[i]);
    }
  }
}

#define MATH_OPS_ANGLE_LOOP(Name, f32, f64)                                                        \
  template <typename T>                                                                            \
  void Run##Name(const T* in, T* out, int64_t n) {                                                 \
    ForAngles(                                                                                     \
        in, out, n, [](Vec<T> x) { return Name<T>(x); }, [](T x) { return Scalar(f32, f64, x); }); \
  }
MATH_OPS_ANGLE_LOOP(Sin, sinf, sin)
MATH_OPS_ANGLE_LOOP(Cos, cosf, cos)
MATH_OPS_ANGLE_LOOP(Tan, tanf, tan)
#undef MATH_OPS_ANGLE_LOOP

// The compiler vectorizes square roots itself.
inline float SquareRoot(float x) {
  return __builtin_sqrtf(x);
}
inline double SquareRoot(double x) {
  return __builtin_sqrt(x);
}
template <typename T>
void RunSqrt(const T* in, T* out, int64_t n) {
  MATH_OPS_IVDEP
  for (int64_t i = 0; i < n; ++i) out[i] = SquareRoot(in[i]);
}
template <typename T>
void RunRsqrt(const T* in, T* out, int64_t n) {
  MATH_OPS_IVDEP
  for (int64_t i = 0; i < n; ++i) out[i] = T(1) / SquareRoot(in[i]);
}

template <typename T>
void RunErf(const T* in, T* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = Scalar(erff, erf, in[i]);
}

}  // namespace

extern const TranscendentalLoops kLoops;
#define MATH_OPS_BOTH(Name) \
  { &Run##Name<float>, &Run##Name<double> }
const TranscendentalLoops kLoops = {
    MATH_OPS_BOTH(Exp),     MATH_OPS_BOTH(Expm1),     MATH_OPS_BOTH(Log), MATH_OPS_BOTH(Log1p), MATH_OPS_BOTH(Sqrt),
    MATH_OPS_BOTH(Rsqrt),   MATH_OPS_BOTH(Sin),       MATH_OPS_BOTH(Cos), MATH_OPS_BOTH(Tan),   MATH_OPS_BOTH(Tanh),
    MATH_OPS_BOTH(Sigmoid), MATH_OPS_BOTH(Softplus),  MATH_OPS_BOTH(Erf), MATH_OPS_BOTH(Pow),   MATH_OPS_BOTH(Atan2),
    MATH_OPS_BOTH(Softmax), MATH_OPS_BOTH(LogSoftmax)};
#undef MATH_OPS_BOTH

}  // namespace MATH_OPS_ISA
}  // namespace math_ops
