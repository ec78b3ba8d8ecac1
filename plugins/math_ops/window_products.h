// plugins/math_ops/window_products.h: sums of products along images, for one instruction set.
//
// Included by isa_set.cc, in whose namespace it is compiled. The sums of several windows and columns stay in registers
// while the weights pass by, so each value that is loaded takes part in several products.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>

#include "isa_kernels.h"

namespace math_ops {
namespace {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64, kWindowsAtOnce = 8;
#elif defined(__AVX__)
constexpr int kVectorBytes = 32, kWindowsAtOnce = 6;
#else
constexpr int kVectorBytes = 16, kWindowsAtOnce = 6;
#endif
constexpr int kPanelVectors = 2;

template <typename T>
constexpr int64_t kLanes = kVectorBytes / static_cast<int64_t>(sizeof(T));

template <typename T>
struct VectorOf {
  typedef T Type __attribute__((vector_size(kVectorBytes)));
  typedef T AtAnyAddress __attribute__((vector_size(kVectorBytes), aligned(alignof(T)), may_alias));
};

// The windows [begin, begin + kWindowsAtOnce), where the last one takes the place of those that do not exist. Loops
// over sums are unrolled, which alone keeps them in registers.
template <int kVectors, typename T>
void AddWindows(const WindowProducts<T>& p, int64_t begin) {
  typedef typename VectorOf<T>::Type Vector;
  typedef typename VectorOf<T>::AtAnyAddress AtAnyAddress;
  const T* windows[kWindowsAtOnce];
  Vector sums[kWindowsAtOnce][kVectors];
#pragma GCC unroll 8
  for (int i = 0; i < kWindowsAtOnce; ++i) {
    windows[i] = p.windows[std::min(begin + i, p.n - 1)];
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; ++j) sums[i][j] = Vector{};
  }
  const T* weights = p.weights;
  for (int64_t run = 0; run < p.n_runs; ++run) {
    const int64_t first = p.runs[run];
    for (int64_t k = first; k < first + p.run_length; ++k, weights += p.weights_stride) {
      Vector columns[kVectors];
#pragma GCC unroll 2
      for (int j = 0; j < kVectors; ++j) {
        columns[j] = *reinterpret_cast<const AtAnyAddress*>(weights + j * kLanes<T>);
      }
#pragma GCC unroll 8
      for (int i = 0; i < kWindowsAtOnce; ++i) {
#pragma GCC unroll 2
        for (int j = 0; j < kVectors; ++j) sums[i][j] += windows[i][k] * columns[j];
      }
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < kWindowsAtOnce; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; ++j) {
      if (begin + i >= p.n) continue;
      T* const out = p.out + (begin + i) * p.out_stride + j * kLanes<T>;
      const int64_t columns = p.columns - j * kLanes<T>;
      const Vector sum = sums[i][j];
      if (columns >= kLanes<T>) {
        *reinterpret_cast<AtAnyAddress*>(out) = sum;
      } else {
        std::memcpy(out, &sum, sizeof(T) * static_cast<size_t>(columns));
      }
    }
  }
}

template <typename T>
void AddAllWindows(const WindowProducts<T>& p) {
  for (int64_t begin = 0; begin < p.n; begin += kWindowsAtOnce) {
    p.columns > kLanes<T> ? AddWindows<kPanelVectors>(p, begin) : AddWindows<1>(p, begin);
  }
}

}  // namespace
}  // namespace math_ops
