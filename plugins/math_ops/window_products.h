// plugins/math_ops/window_products.h: sums of products along images and rows of matrices, for one instruction set.
//
// Included by isa_set.cc, in whose namespace it is compiled. The sums of several windows and columns stay in registers
// while the weights pass by, so each value that is loaded takes part in several products.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "isa_kernels.h"
#include "unary_simd.h"
#include "vectors.h"

namespace math_ops {
namespace {

// As many as leave registers for the weights.
#if defined(__AVX512F__)
constexpr int kWindowsAtOnce = 8;
#else
constexpr int kWindowsAtOnce = 6;
#endif
constexpr int kPanelVectors = 2;

// The sums of the first columns; others are not stored, and zero when loaded.
template <typename T>
typename VectorOf<T>::Type LoadSums(const T* out, int64_t columns) {
  if (columns >= kLanes<T>) return *reinterpret_cast<const typename VectorOf<T>::AtAnyAddress*>(out);
  typename VectorOf<T>::Type sums{};
  if (columns > 0) std::memcpy(&sums, out, sizeof(T) * static_cast<size_t>(columns));
  return sums;
}

template <typename T>
void StoreSums(const typename VectorOf<T>::Type& sums, int64_t columns, T* out) {
  if (columns >= kLanes<T>) {
    *reinterpret_cast<typename VectorOf<T>::AtAnyAddress*>(out) = sums;
  } else if (columns > 0) {
    std::memcpy(out, &sums, sizeof(T) * static_cast<size_t>(columns));
  }
}

// What AfterSums adds to some columns, and the least sum; or -0 and -infinity, which change nothing.
template <int kVectors, typename T>
struct EndOfSums {
  typedef typename VectorOf<T>::Type Vector;
  Vector bias[kVectors], least{};

  EndOfSums(const AfterSums<T>& after, int64_t column, int64_t columns) {
    if constexpr (std::is_floating_point<T>::value) {
      if (!after.relu) least -= std::numeric_limits<T>::infinity();
    }
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; ++j) {
      const int64_t at = j * kLanes<T>;
      bias[j] = after.bias == nullptr ? -Vector{} : LoadSums(after.bias + column + at, columns - at);
    }
  }
  Vector NotLess(const Vector& sum) const {
    if constexpr (std::is_floating_point<T>::value) return MATH_OPS_ISA::Larger<T>(least, sum);
    return sum;
  }
};

// The windows [begin, begin + kWindows), where the last one takes the place of those that do not exist. Loops over sums
// are unrolled, which alone keeps them in registers.
template <int kWindows, int kVectors, typename T>
void AddWindows(const WindowProducts<T>& p, int64_t begin) {
  typedef typename VectorOf<T>::Type Vector;
  typedef typename VectorOf<T>::AtAnyAddress AtAnyAddress;
  const T* windows[kWindows];
  T* outs[kWindows];
  Vector sums[kWindows][kVectors];
  const bool all_exist = begin + kWindows <= p.n;
#pragma GCC unroll 8
  for (int i = 0; i < kWindows; ++i) {
    const int64_t window = all_exist ? begin + i : std::min(begin + i, p.n - 1);
    windows[i] = p.windows[window];
    outs[i] = p.outs[window] + p.column;
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; ++j) sums[i][j] = Vector{};
  }
  if (p.add) {
#pragma GCC unroll 8
    for (int i = 0; i < kWindows; ++i) {
      const T* const next = p.outs[std::min(begin + i + kWindows, p.n - 1)] + p.column;
#pragma GCC unroll 2
      for (int j = 0; j < kVectors; ++j) {
        __builtin_prefetch(next + j * kLanes<T>, 1);
        sums[i][j] = LoadSums(outs[i] + j * kLanes<T>, p.columns - j * kLanes<T>);
      }
    }
  }
  for (int64_t run = 0; run < p.n_runs; ++run) {
    int64_t at = p.runs[run].at;
    const T* weights = p.weights + p.runs[run].weights * p.weights_stride;
    for (int64_t k = 0; k < p.run_length; ++k, at += p.step, weights += p.weights_stride) {
      asm("" : "+r"(at));  // or compilers advance a pointer for each window
      Vector columns[kVectors];
#pragma GCC unroll 2
      for (int j = 0; j < kVectors; ++j) {
        columns[j] = *reinterpret_cast<const AtAnyAddress*>(weights + j * kLanes<T>);
      }
#pragma GCC unroll 8
      for (int i = 0; i < kWindows; ++i) {
#pragma GCC unroll 2
        for (int j = 0; j < kVectors; ++j) sums[i][j] += windows[i][at] * columns[j];
      }
    }
  }
  const EndOfSums<kVectors, T> end(p.after, p.column, p.columns);
  const bool whole = p.columns >= kVectors * kLanes<T>;
  // Windows that take the place of others have the same sums.
#pragma GCC unroll 8
  for (int i = 0; i < kWindows; ++i) {
    const T* const added = p.after.added == nullptr ? nullptr : p.after.added + (outs[i] - p.after.out);
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; ++j) {
      const int64_t at = j * kLanes<T>, columns = whole ? kLanes<T> : p.columns - at;
      sums[i][j] += end.bias[j];
      if (added != nullptr) sums[i][j] += LoadSums(added + at, columns);
      StoreSums<T>(end.NotLess(sums[i][j]), columns, outs[i] + at);
    }
  }
}

template <int kVectors, typename T>
void AddAllWindows(const WindowProducts<T>& p) {
  int64_t begin = 0;
  for (; p.n - begin > kWindowsAtOnce / 2; begin += kWindowsAtOnce) AddWindows<kWindowsAtOnce, kVectors>(p, begin);
  if (p.n - begin > 1) return AddWindows<kWindowsAtOnce / 2, kVectors>(p, begin);
  if (p.n > begin) AddWindows<1, kVectors>(p, begin);
}

template <typename T>
void AddWindowsToPanel(const WindowProducts<T>& p) {
  p.columns > kLanes<T> ? AddAllWindows<kPanelVectors>(p) : AddAllWindows<1>(p);
}

}  // namespace
}  // namespace math_ops
