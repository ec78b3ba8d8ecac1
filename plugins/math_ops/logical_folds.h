// plugins/math_ops/logical_folds.h: whether all bools are true, or any, as folds (see fold_loops.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace math_ops {

// Of bools, which are bytes of 0 or 1.
struct AllFold {
  static constexpr uint8_t kDecided = 0;
  template <typename T>
  using Acc = uint8_t;
  template <typename T>
  static constexpr uint8_t Start() {
    return 1;
  }
  static constexpr uint8_t Combine(uint8_t a, uint8_t b) { return a & b; }
  template <typename T>
  static constexpr T Finish(uint8_t acc, int64) {
    return acc;
  }
};

struct AnyFold : AllFold {
  static constexpr uint8_t kDecided = 1;
  template <typename T>
  static constexpr uint8_t Start() {
    return 0;
  }
  static constexpr uint8_t Combine(uint8_t a, uint8_t b) { return a | b; }
};

}  // namespace math_ops
