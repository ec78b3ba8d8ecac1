// plugins/pad/axes.h: an axis of an array and the border around it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace pad {

inline constexpr int kMaxRank = 8;

// `size` elements of the input, with `before` and `after` elements of border around them.
struct Axis {
  int64_t size = 0;
  int64_t before = 0;
  int64_t after = 0;

  constexpr bool HasBorder() const { return before != 0 || after != 0; }
  constexpr int64_t padded() const { return before + size + after; }
};

}  // namespace pad
