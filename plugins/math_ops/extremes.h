// plugins/math_ops/extremes.h: the largest and the smallest of numbers; NaN if one of them is NaN.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "types.h"

namespace math_ops {

struct Larger {
  template <typename T>
  T operator()(T x, T y) const {
    return x >= y || x != x ? x : y;
  }
};

struct Smaller {
  template <typename T>
  T operator()(T x, T y) const {
    return x <= y || x != x ? x : y;
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
struct ExtremeFold {
  template <typename T>
  using Acc = Wide<T>;
  template <typename T>
  static Acc<T> Start() {
    return Limit<Acc<T>, kStartsLargest>();
  }
  template <typename A>
  static A Combine(A a, A b) {
    return Function()(a, b);
  }
  template <typename T>
  static T Finish(Acc<T> acc, int64) {
    return static_cast<T>(acc);
  }
};

typedef ExtremeFold<Larger, false> MaxFold;
typedef ExtremeFold<Smaller, true> MinFold;

}  // namespace math_ops
