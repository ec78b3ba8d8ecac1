// plugins/pad/mirror_sum.h: adds up a border that shows what is inside: what MirrorPad did, the other way.
//
// One dimension after the other: the border of a dimension is added to the elements that it shows, and goes away. So
// each border element of a corner reaches the one element that it shows, whatever the rank.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "axes.h"
#include "mirror_kernel.h"

namespace pad {

// What sums of T are computed in: integers wrap, numbers of two bytes are added as float. Kernels for a
// GPU call it too.
template <typename T>
constexpr T MirrorSum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + 0u + static_cast<std::make_unsigned_t<T>>(b));
  } else if constexpr (sizeof(T) == 2) {
    return static_cast<T>(static_cast<float>(a) + static_cast<float>(b));
  } else {
    return a + b;
  }
}

// `in` is [outer, axis.padded(), inner], `out` is [outer, axis.size, inner]. Outer indices [begin, end) are done.
template <typename T>
void FoldAxis(const Axis& axis, Edge edge, int64_t inner, const T* in, T* out, int64_t begin, int64_t end) {
  const int64_t distance = static_cast<int64_t>(edge);
  for (int64_t o = begin; o < end; ++o) {
    const T* const from = in + o * axis.padded() * inner;
    T* const to = out + o * axis.size * inner;
    const auto add = [&](int64_t index, int64_t shown) {
      for (int64_t k = 0; k < inner; ++k) {
        to[shown * inner + k] = MirrorSum(to[shown * inner + k], from[index * inner + k]);
      }
    };
    for (int64_t k = 0; k < axis.size * inner; ++k) to[k] = from[axis.before * inner + k];
    for (int64_t i = 0; i < axis.before; ++i) add(i, axis.before - 1 - i + distance);
    for (int64_t i = 0; i < axis.after; ++i) add(axis.before + axis.size + i, axis.size - 1 - i - distance);
  }
}

}  // namespace pad
