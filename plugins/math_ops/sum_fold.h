// plugins/math_ops/sum_fold.h: sums and products as folds (see fold_loops.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arithmetic.h"

namespace math_ops {

struct SumFold {
  static constexpr bool kIgnoresSign = true;
  template <typename T>
  using Acc = Wide<T>;
  template <typename T>
  static constexpr Acc<T> Start() {
    return Acc<T>(0);
  }
  template <typename A>
  static constexpr A Combine(A a, A b) {
    return Add()(a, b);
  }
  template <typename T>
  static constexpr T Finish(Acc<T> acc, int64) {
    return static_cast<T>(acc);
  }
};

struct ProdFold {
  static constexpr bool kIgnoresSign = true;
  template <typename T>
  using Acc = Wide<T>;
  template <typename T>
  static constexpr Acc<T> Start() {
    return Acc<T>(1);
  }
  template <typename A>
  static constexpr A Combine(A a, A b) {
    return Mul()(a, b);
  }
  template <typename T>
  static constexpr T Finish(Acc<T> acc, int64) {
    return static_cast<T>(acc);
  }
};

}  // namespace math_ops
