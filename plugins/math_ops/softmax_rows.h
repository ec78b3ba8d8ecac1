// plugins/math_ops/softmax_rows.h: loops of vectors, and softmax and log-softmax of a row, for one instruction set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <math.h>

#include <utility>

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

// combine(x, y) of all lanes of a vector, halves at a time.
template <typename T, typename Vector, typename Combine, size_t... kLane>
T Folded(const Vector& v, const Combine& combine, std::index_sequence<kLane...>) {
  constexpr size_t kHalf = sizeof...(kLane);
  if constexpr (kHalf == 1) {
    return combine(v[0], v[1]);
  } else {
    return Folded<T>(
        combine(__builtin_shufflevector(v, v, kLane...), __builtin_shufflevector(v, v, (kHalf + kLane)...)), combine,
        std::make_index_sequence<kHalf / 2>());
  }
}
template <typename T, typename Combine>
T Folded(const Vec<T>& v, const Combine& combine) {
  return Folded<T>(v, combine, std::make_index_sequence<static_cast<size_t>(kLanes<T>) / 2>());
}

// Subtracted first, so that exponentials do not overflow. It need not be right if there is a NaN, which makes the sum
// NaN.
template <typename T>
T LargestOf(const T* in, int64_t n) {
  T largest = -Infinity<T>();
  if (n < kLanes<T>) {
    for (int64_t i = 0; i < n; ++i) largest = in[i] > largest ? in[i] : largest;
    return largest;
  }
  constexpr int64_t kVectors = 4;
  const Vec<T> last = Load(in + n - kLanes<T>);
  Vec<T> acc[kVectors] = {last, last, last, last};
  int64_t i = 0;
  for (; i + kVectors * kLanes<T> <= n; i += kVectors * kLanes<T>) {
    for (int64_t k = 0; k < kVectors; ++k) acc[k] = Larger<T>(acc[k], Load(in + i + k * kLanes<T>));
  }
  for (; i + kLanes<T> <= n; i += kLanes<T>) acc[0] = Larger<T>(acc[0], Load(in + i));
  return Folded<T>(Larger<T>(Larger<T>(acc[0], acc[1]), Larger<T>(acc[2], acc[3])),
                   [](auto x, auto y) { return x > y ? x : y; });
}

// The sum of exp(in[i] - largest), which are written to `out` unless it is null.
template <typename T>
T SumOfExps(const T* in, T largest, T* out, int64_t n) {
  constexpr int64_t kBlock = 512;
  const auto add = [](auto x, auto y) { return x + y; };
  const int64_t rest = n % kLanes<T>;
  // The rest is in the last vector, which is read before `out` changes, or in one that is not full.
  const bool is_small = n < kLanes<T>;
  const Vec<T> last = ExpOfAtMost0<T>((is_small ? LoadSome(in, n) : Load(in + n - kLanes<T>)) - largest);
  double sum = 0;  // of sums of a few
  for (int64_t i = 0; i + kLanes<T> <= n;) {
    const int64_t end = i + kBlock < n ? i + kBlock : n;
    Vec<T> sums = {};
    for (; i + kLanes<T> <= end; i += kLanes<T>) {
      __builtin_prefetch(in + i + n);  // of the row below: reading it and computing take about as long
      const Vec<T> exps = ExpOfAtMost0<T>(Load(in + i) - largest);
      sums += exps;
      if (out != nullptr) Store<T>(exps, out + i);
    }
    sum += double{Folded<T>(sums, add)};
  }
  if (rest == 0) return static_cast<T>(sum);
  T lanes[kLanes<T>];
  Store<T>(last, lanes);
  const T* const exps = is_small ? lanes : lanes + kLanes<T> - rest;
  for (int64_t k = 0; k < rest; ++k) {
    sum += double{exps[k]};
    if (out != nullptr) out[n - rest + k] = exps[k];
  }
  return static_cast<T>(sum);
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
