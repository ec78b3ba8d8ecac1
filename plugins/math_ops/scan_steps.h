// plugins/math_ops/scan_steps.h: what scans do with each element: a scan goes along an axis, carries a state from
// element to element, and writes it.
//
// A step is a struct with, for elements of type T, whose states are Wide<T>,
//   kInputs                             how many tensors it reads, all of one shape
//   Start<T>()                          the state before the first element
//   Next<T>(state, inputs, i)           the state after the elements inputs[k][i]
//   kSplits<T>                          whether the state after some elements is the sum, as Next adds, of the states
//                                       after parts of them: floats that are multiplied in parts could overflow in one
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arithmetic.h"

namespace math_ops {

constexpr int kMostScanned = 2;

struct SumStep {
  static constexpr bool kIgnoresSign = true;
  static constexpr int kInputs = 1;
  template <typename T>
  static constexpr bool kSplits = true;
  template <typename T>
  static constexpr Wide<T> Start() {
    return Wide<T>(0);
  }
  template <typename T>
  static constexpr Wide<T> Next(Wide<T> state, const T* const* inputs, int64 i) {
    return Add()(state, static_cast<Wide<T>>(inputs[0][i]));
  }
};

struct ProductStep {
  static constexpr bool kIgnoresSign = true;
  static constexpr int kInputs = 1;
  template <typename T>
  static constexpr bool kSplits = std::is_integral_v<T>;
  template <typename T>
  static constexpr Wide<T> Start() {
    return Wide<T>(1);
  }
  template <typename T>
  static constexpr Wide<T> Next(Wide<T> state, const T* const* inputs, int64 i) {
    return Mul()(state, static_cast<Wide<T>>(inputs[0][i]));
  }
};

// Of factors and terms.
struct RecurrenceStep {
  static constexpr int kInputs = 2;
  template <typename T>
  static constexpr bool kSplits = false;
  template <typename T>
  static constexpr Wide<T> Start() {
    return Wide<T>(0);
  }
  template <typename T>
  static constexpr Wide<T> Next(Wide<T> state, const T* const* inputs, int64 i) {
    return Add()(Mul()(static_cast<Wide<T>>(inputs[0][i]), state), static_cast<Wide<T>>(inputs[1][i]));
  }
};

}  // namespace math_ops
