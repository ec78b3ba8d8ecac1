// plugins/math_ops/power_ops.h: the functions of two numbers of unary_loops.h, for all floats.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "element_loops.h"
#include "unary_loops.h"

namespace math_ops {

// Converts operands in blocks to the type of Loops().
template <BinaryFunction TranscendentalLoops::*kFunction>
struct TranscendentalBinaryLoops {
  static constexpr int64 kBlock = 1024;

  static void Call(const float* x, const float* y, float* out, int64 n) { (Loops().*kFunction).f32(x, y, out, n); }
  static void Call(const double* x, const double* y, double* out, int64 n) { (Loops().*kFunction).f64(x, y, out, n); }

  // The elements in the type they are computed in: in place, or converted to a block.
  template <typename T>
  static const Wide<T>* Read(const T* from, bool walks, int64 begin, int64 n, Wide<T>* block) {
    if constexpr (std::is_same_v<T, Wide<T>>) {
      if (walks) return from + begin;
    }
    for (int64 i = 0; i < n; ++i) block[i] = static_cast<Wide<T>>(from[walks ? begin + i : 0]);
    return block;
  }

  template <typename T>
  static int64 Run(Walk walk, const void* xs, const void* ys, void* outs, int64 n) {
    Wide<T> x_block[kBlock], y_block[kBlock], results[kBlock];
    T* const out = static_cast<T*>(outs);
    for (int64 begin = 0; begin < n; begin += kBlock) {
      const int64 size = std::min(kBlock, n - begin);
      const Wide<T>* const x = Read(static_cast<const T*>(xs), walk != Walk::kY, begin, size, x_block);
      const Wide<T>* const y = Read(static_cast<const T*>(ys), walk != Walk::kX, begin, size, y_block);
      if constexpr (std::is_same_v<T, Wide<T>>) {
        Call(x, y, out + begin, size);
      } else {
        Call(x, y, results, size);
        for (int64 i = 0; i < size; ++i) out[begin + i] = static_cast<T>(results[i]);
      }
    }
    return n;
  }

  template <typename T>
  static BinaryLoop For() {
    return &Run<T>;
  }
};

}  // namespace math_ops
