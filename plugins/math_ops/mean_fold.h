// plugins/math_ops/mean_fold.h: means as a fold (see fold_loops.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sum_fold.h"

namespace math_ops {

// A mean always fits, so the sum of integers has room for all of them.
__extension__ typedef __int128 int128;
struct MeanFold {
  template <typename A>
  static A Combine(A a, A b) {
    return SumFold::Combine(a, b);
  }
  template <typename T>
  using Acc = std::conditional_t<!std::is_integral_v<T>, Wide<T>, std::conditional_t<sizeof(T) == 8, int128, int64_t>>;
  template <typename T>
  static Acc<T> Start() {
    return Acc<T>(0);
  }
  template <typename T>
  static T Finish(Acc<T> acc, int64 count) {
    if constexpr (kIsComplex<T>) return acc / static_cast<typename T::value_type>(count);
    return static_cast<T>(acc / static_cast<Acc<T>>(count));
  }
};

}  // namespace math_ops
