// plugins/math_ops/softmax_rows.h: loops of vectors, and softmax and log-softmax of a row, for one instruction set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <math.h>

#include "unary_approximations.h"

namespace math_ops {
namespace MATH_OPS_ISA {
namespace {

// The next n numbers, padded with zeros.
template <typename T>
Vec<T> LoadSome(const T* from, int64_t n) {
  T padded[kLanes<T>] = {};
  for (int64_t k = 0; k < n; ++k) padded[k] = from[k];
  return Load(padded);
}

// out[i] = f(in[i]...) with whole vectors. The last one may overlap the one before it; it is read before `out` changes.
template <typename T, typename Function, typename... Inputs>
inline void ForVectors(T* out, int64_t n, const Function& f, const Inputs*... in) {
  constexpr int64_t kStep = kLanes<T>;
  int64_t i = 0;
  if (n > kStep && n % kStep != 0) {
    const Vec<T> last = f(Load(in + n - kStep)...);
    for (; i + kStep <= n; i += kStep) Store<T>(f(Load(in + i)...), out + i);
    return Store<T>(last, out + n - kStep);
  }
  for (; i + kStep <= n; i += kStep) Store<T>(f(Load(in + i)...), out + i);
  if (i == n) return;
  T rest[kStep];
  Store<T>(f(LoadSome(in + i, n - i)...), rest);
  for (int64_t k = 0; i + k < n; ++k) out[i + k] = rest[k];
}

inline float Scalar(float (*f)(float), double (*)(double), float x) {
  return f(x);
}
inline double Scalar(float (*)(float), double (*f)(double), double x) {
  return f(x);
}

template <typename T, typename Combine>
T Reduced(const T* in, int64_t n, T start, const Combine& combine) {
  constexpr int64_t kVectors = 4;
  Vec<T> acc[kVectors] = {All(start), All(start), All(start), All(start)};
  int64_t i = 0;
  for (; i + kVectors * kLanes<T> <= n; i += kVectors * kLanes<T>) {
    for (int64_t k = 0; k < kVectors; ++k) acc[k] = combine(acc[k], Load(in + i + k * kLanes<T>));
  }
  for (; i + kLanes<T> <= n; i += kLanes<T>) acc[0] = combine(acc[0], Load(in + i));
  T lanes[kLanes<T>];
  Store<T>(combine(combine(acc[0], acc[1]), combine(acc[2], acc[3])), lanes);
  for (int64_t k = 0; i + k < n; ++k) lanes[k] = combine(lanes[k], in[i + k]);
  for (int64_t half = kLanes<T> / 2; half > 0; half /= 2) {
    for (int64_t k = 0; k < half; ++k) lanes[k] = combine(lanes[k], lanes[k + half]);
  }
  return lanes[0];
}

// The sum of exp(in[i] - largest), which are written to `out` unless it is null.
template <typename T>
T SumOfExps(const T* in, T largest, T* out, int64_t n) {
  constexpr int64_t kBlock = 1024;
  T block[kBlock];
  double sum = 0;  // of sums of a few
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t size = n - i < kBlock ? n - i : kBlock;
    T* const exps = out == nullptr ? block : out + i;
    const T* next = in + i + n;  // of the row below: reading it and computing take about as long
    const auto exp_and_prefetch = [largest, &next](Vec<T> x) {
      __builtin_prefetch(next);
      next += kLanes<T>;
      return Exp<T>(x - largest);
    };
    ForVectors(exps, size, exp_and_prefetch, in + i);
    sum += double{Reduced<T>(exps, size, T(0), [](auto x, auto y) { return x + y; })};
  }
  return static_cast<T>(sum);
}

// Subtracted first, so that exponentials do not overflow. It need not be NaN: a NaN makes the sum NaN.
template <typename T>
T LargestOf(const T* in, int64_t n) {
  return Reduced<T>(in, n, -Infinity<T>(), [](auto x, auto y) { return x < y ? y : x; });
}

template <typename T>
void RunSoftmax(const T* in, T* out, int64_t n) {
  const T inverse = T(1) / SumOfExps(in, LargestOf(in, n), out, n);
  ForVectors(
      out, n, [inverse](Vec<T> x) { return x * inverse; }, static_cast<const T*>(out));
}

template <typename T>
void RunLogSoftmax(const T* in, T* out, int64_t n) {
  const T largest = LargestOf(in, n), sum = Scalar(logf, log, SumOfExps<T>(in, largest, nullptr, n));
  ForVectors(
      out, n, [largest, sum](Vec<T> x) { return (x - largest) - sum; }, in);
}

}  // namespace
}  // namespace MATH_OPS_ISA
}  // namespace math_ops
