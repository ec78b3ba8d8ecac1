// plugins/math_ops/unary_loops_impl.h: the loops of unary_loops.h in namespace math_ops::MATH_OPS_ISA, as kLoops.
//
// The includer defines MATH_OPS_ISA. Everything here is in that namespace, and no inline function of another header is
// used, so that code for one instruction set cannot end up where another one is expected.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <math.h>

#include "unary_loops.h"

namespace math_ops {
namespace MATH_OPS_ISA {
namespace {

float Exp(float x) {
  return expf(x);
}
double Exp(double x) {
  return ::exp(x);
}
float Expm1(float x) {
  return expm1f(x);
}
double Expm1(double x) {
  return ::expm1(x);
}
float Log(float x) {
  return logf(x);
}
double Log(double x) {
  return ::log(x);
}
float Log1p(float x) {
  return log1pf(x);
}
double Log1p(double x) {
  return ::log1p(x);
}
float Sqrt(float x) {
  return sqrtf(x);
}
double Sqrt(double x) {
  return ::sqrt(x);
}
float Sin(float x) {
  return sinf(x);
}
double Sin(double x) {
  return ::sin(x);
}
float Cos(float x) {
  return cosf(x);
}
double Cos(double x) {
  return ::cos(x);
}
float Tan(float x) {
  return tanf(x);
}
double Tan(double x) {
  return ::tan(x);
}
float Tanh(float x) {
  return tanhf(x);
}
double Tanh(double x) {
  return ::tanh(x);
}
float Erf(float x) {
  return erff(x);
}
double Erf(double x) {
  return ::erf(x);
}
float Pow(float x, float y) {
  return powf(x, y);
}
double Pow(double x, double y) {
  return ::pow(x, y);
}

template <typename T>
T Rsqrt(T x) {
  return 1 / Sqrt(x);
}
// Of -|x|, whose exponential cannot overflow.
template <typename T>
T Sigmoid(T x) {
  const T e = Exp(x < 0 ? x : -x);
  return (x < 0 ? e : 1) / (1 + e);
}
template <typename T>
T Softplus(T x) {
  return (x > 0 ? x : 0) + Log1p(Exp(x > 0 ? -x : x));
}

#define MATH_OPS_LOOP(Name, Function)                 \
  struct Name##Loop {                                 \
    template <typename T>                             \
    static void Run(const T* in, T* out, int64_t n) { \
      for (int64_t i = 0; i < n; ++i) {               \
        out[i] = Function(in[i]);                     \
      }                                               \
    }                                                 \
  };
MATH_OPS_LOOP(Exp, Exp)
MATH_OPS_LOOP(Expm1, Expm1)
MATH_OPS_LOOP(Log, Log)
MATH_OPS_LOOP(Log1p, Log1p)
MATH_OPS_LOOP(Sqrt, Sqrt)
MATH_OPS_LOOP(Rsqrt, Rsqrt)
MATH_OPS_LOOP(Sin, Sin)
MATH_OPS_LOOP(Cos, Cos)
MATH_OPS_LOOP(Tan, Tan)
MATH_OPS_LOOP(Tanh, Tanh)
MATH_OPS_LOOP(Sigmoid, Sigmoid)
MATH_OPS_LOOP(Softplus, Softplus)
MATH_OPS_LOOP(Erf, Erf)
#undef MATH_OPS_LOOP

template <typename T>
void RunPow(const T* x, const T* y, T* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = Pow(x[i], y[i]);
}

template <typename Loop>
constexpr UnaryFunction Both() {
  return {&Loop::template Run<float>, &Loop::template Run<double>};
}

}  // namespace

extern const TranscendentalLoops kLoops;
const TranscendentalLoops kLoops = {Both<ExpLoop>(),     Both<Expm1Loop>(),
                                    Both<LogLoop>(),     Both<Log1pLoop>(),
                                    Both<SqrtLoop>(),    Both<RsqrtLoop>(),
                                    Both<SinLoop>(),     Both<CosLoop>(),
                                    Both<TanLoop>(),     Both<TanhLoop>(),
                                    Both<SigmoidLoop>(), Both<SoftplusLoop>(),
                                    Both<ErfLoop>(),     {&RunPow<float>, &RunPow<double>}};

}  // namespace MATH_OPS_ISA
}  // namespace math_ops
