// plugins/math_ops/extremes.h: the larger and the smaller of two numbers; NaN if one of them is NaN.
// SPDX-License-Identifier: Apache-2.0
#pragma once

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

}  // namespace math_ops
