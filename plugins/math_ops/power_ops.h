// plugins/math_ops/power_ops.h: the functions of two numbers of unary_loops.h, for all floats.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "element_loops.h"
#include "unary_loops.h"

namespace math_ops {

template <BinaryFunction TranscendentalLoops::*kFunction>
struct TranscendentalBinaryLoops {
  static void Call(const float* x, const float* y, float* out, int64 n) { (Loops().*kFunction).f32(x, y, out, n); }
  static void Call(const double* x, const double* y, double* out, int64 n) { (Loops().*kFunction).f64(x, y, out, n); }

  template <typename T>
  static int64 Run(Walk walk, const void* xs, const void* ys, void* out, int64 n) {
    if constexpr (!std::is_same_v<T, Wide<T>>) {
      return RunConverted<T, T>(&Run<float>, walk, xs, ys, out, n);
    } else {
      constexpr int64 kBlock = 1024;
      const T *x = static_cast<const T*>(xs), *y = static_cast<const T*>(ys);
      T copies[kBlock];  // of the operand that does not advance
      if (walk != Walk::kBoth) std::fill_n(copies, std::min(kBlock, n), walk == Walk::kX ? *y : *x);
      for (int64 begin = 0; begin < n; begin += kBlock) {
        Call(walk == Walk::kY ? copies : x + begin, walk == Walk::kX ? copies : y + begin, static_cast<T*>(out) + begin,
             std::min(kBlock, n - begin));
      }
      return n;
    }
  }

  template <typename T>
  static BinaryLoop For() {
    return &Run<T>;
  }
};

}  // namespace math_ops
