// plugins/math_ops/extremes.h: the largest or smallest of some numbers; NaN if one of them is NaN.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "folds.h"

namespace math_ops {

struct Larger {
  template <typename T>
  constexpr T operator()(T x, T y) const {
    const T larger = x > y ? x : y;  // y if one of them is NaN
    return x != x ? x : larger;
  }
};

struct Smaller {
  template <typename T>
  constexpr T operator()(T x, T y) const {
    const T smaller = x < y ? x : y;
    return x != x ? x : smaller;
  }
};

template <typename T, bool kLargest>
constexpr T Limit() {
  typedef std::numeric_limits<T> Limits;
  if constexpr (Limits::has_infinity) return kLargest ? Limits::infinity() : -Limits::infinity();
  return kLargest ? Limits::max() : Limits::lowest();
}

// As folds (see fold_loops.h).
template <typename Function, bool kStartsLargest>
struct ExtremeFold : FunctionFold<Function, 0> {
  template <typename T>
  static constexpr Wide<T> Start() {
    return Limit<Wide<T>, kStartsLargest>();
  }
  // NaN is better than any number, and the first NaN is the best.
  template <typename A>
  static constexpr bool IsBetter(A x, A before) {
    return (kStartsLargest ? x < before : x > before) || (x != x && before == before);
  }
  // y where y is better, and x where one of them is NaN.
  template <typename V>
  static V Better(V x, V y) {
    return kStartsLargest ? (y < x ? y : x) : (y > x ? y : x);
  }
#ifndef __CUDACC__
  // With explicit vectors: the compiler does not vectorize the choice with NaN.
  template <typename T>
  static T FloatBlock(const T* in, int64 n) {
#ifdef __AVX2__
    constexpr int kBytes = 32;
#else
    constexpr int kBytes = 16;
#endif
    typedef T V __attribute__((vector_size(kBytes)));
    constexpr int64 kLanes = kBytes / sizeof(T), kVectors = 4, kStep = kVectors * kLanes;
    V best[kVectors], x = {};
    auto nan = x != x;
    for (V& v : best) v = Start<T>() + V{};
    int64 i = 0;
    for (; i + kStep <= n; i += kStep) {
      for (int64 k = 0; k < kVectors; ++k) {
        __builtin_memcpy(&x, in + i + k * kLanes, sizeof(x));
        best[k] = Better(best[k], x);
        nan |= x != x;
      }
    }
    for (int64 half = kVectors / 2; half > 0; half /= 2) {
      for (int64 k = 0; k < half; ++k) best[k] = Better(best[k], best[k + half]);
    }
    T result = Start<T>();
    for (int64 k = 0; k < kLanes; ++k) result = Function()(result, best[0][k]);
    for (int64 k = 0; k < kLanes; ++k) result = nan[k] != 0 ? std::numeric_limits<T>::quiet_NaN() : result;
    for (; i < n; ++i) result = Function()(result, in[i]);
    return result;
  }
#endif
};

typedef ExtremeFold<Larger, false> MaxFold;
typedef ExtremeFold<Smaller, true> MinFold;

// Shared by ArgMax and ArgMin on all devices.

// A kernel with the inputs `input` and `dimension`; `dimension` is in host memory.
class ArgKernel : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override;

 protected:
  // Writes the indices of the best elements along the axis. Requires: the output has elements, the axis is not empty,
  // and the output type can hold its indices.
  virtual Status Search(OpKernelContext* context, const Tensor& input, int axis, Tensor* output) const = 0;

 private:
  Status CheckSize(int64 size) const;
};

}  // namespace math_ops
