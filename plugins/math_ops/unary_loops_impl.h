// plugins/math_ops/unary_loops_impl.h: the loops of unary_loops.h in namespace math_ops::MATH_OPS_ISA, as kLoops.
//
// The includer defines MATH_OPS_ISA. Everything here is in that namespace and, but for kLoops, in this object file
// only; no inline function of another header is used. So code for one instruction set cannot end up where another is
// expected. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "unary_loops.h"
#include "unary_pow.h"
#include "unary_trig.h"

// Placed before loops: each element is read before it is written. clang checks that at run time.
#ifdef __clang__
#define MATH_OPS_IVDEP
#else
#define MATH_OPS_IVDEP _Pragma("GCC ivdep")
#endif

namespace math_ops {
namespace MATH_OPS_ISA {
namespace {

// out[i] = f(in[i]) with whole vectors. The last one is padded with unused elements.
template <typename T, typename Function>
inline void ForVectors(const T* in, T* out, int64_t n, const Function& f) {
  constexpr int64_t kStep = kLanes<T>;
  int64_t i = 0;
  for (; i + kStep <= n; i += kStep) Store<T>(f(Load(in + i)), out + i);
  if (i == n) return;
  T rest[kStep] = {};
  for (int64_t k = 0; i + k < n; ++k) rest[k] = in[i + k];
  Store<T>(f(Load(rest)), rest);
  for (int64_t k = 0; i + k < n; ++k) out[i + k] = rest[k];
}

#define MATH_OPS_LOOP(Name)                                      \
  template <typename T>                                          \
  void Run##Name(const T* in, T* out, int64_t n) {               \
    ForVectors(in, out, n, [](Vec<T> x) { return Name<T>(x); }); \
  }
MATH_OPS_LOOP(Exp)
MATH_OPS_LOOP(Expm1)
MATH_OPS_LOOP(Tanh)
MATH_OPS_LOOP(Sigmoid)
MATH_OPS_LOOP(Log)
MATH_OPS_LOOP(Log1p)
MATH_OPS_LOOP(Softplus)
#undef MATH_OPS_LOOP

inline float Scalar(float (*f)(float), double (*)(double), float x) {
  return f(x);
}
inline double Scalar(float (*)(float), double (*f)(double), double x) {
  return f(x);
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
    ForVectors(in, out, size, f);
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
    MATH_OPS_BOTH(Exp),     MATH_OPS_BOTH(Expm1),    MATH_OPS_BOTH(Log), MATH_OPS_BOTH(Log1p), MATH_OPS_BOTH(Sqrt),
    MATH_OPS_BOTH(Rsqrt),   MATH_OPS_BOTH(Sin),      MATH_OPS_BOTH(Cos), MATH_OPS_BOTH(Tan),   MATH_OPS_BOTH(Tanh),
    MATH_OPS_BOTH(Sigmoid), MATH_OPS_BOTH(Softplus), MATH_OPS_BOTH(Erf), MATH_OPS_BOTH(Pow),   MATH_OPS_BOTH(Atan2)};
#undef MATH_OPS_BOTH

}  // namespace MATH_OPS_ISA
}  // namespace math_ops
