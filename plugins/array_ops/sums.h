// plugins/array_ops/sums.h: sums of numbers of any type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "opsrun/types.h"

namespace array_ops {

// Integers wrap; floats of two bytes are added as float and rounded.
template <typename T>
T Sum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + 0u + static_cast<std::make_unsigned_t<T>>(b));
  } else if constexpr (sizeof(T) == 2) {
    return static_cast<T>(static_cast<float>(a) + static_cast<float>(b));
  } else {
    return a + b;
  }
}
template <typename T>
T Difference(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + 0u - static_cast<std::make_unsigned_t<T>>(b));
  } else if constexpr (sizeof(T) == 2) {
    return static_cast<T>(static_cast<float>(a) - static_cast<float>(b));
  } else {
    return a - b;
  }
}

template <typename T>
void AddTo(T* to, const T* from, opsrun::int64 n) {
  for (opsrun::int64 i = 0; i < n; ++i) to[i] = Sum(to[i], from[i]);
}

}  // namespace array_ops
