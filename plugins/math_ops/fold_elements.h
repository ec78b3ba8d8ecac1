// plugins/math_ops/fold_elements.h: what one element gives to a fold (see fold_loops.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types.h"

namespace math_ops {

// Whether the fold has an OfElement, so that one element does not give itself.
template <typename Fold, typename T, typename = void>
constexpr bool kMapsElements = false;
template <typename Fold, typename T>
constexpr bool kMapsElements<Fold, T, std::void_t<decltype(Fold::template OfElement<T>(Wide<T>()))>> = true;

template <typename Fold, typename T>
constexpr typename Fold::template Acc<T> AccOf(T element) {
  const auto x = static_cast<Wide<T>>(element);
  if constexpr (kMapsElements<Fold, T>) {
    return Fold::template OfElement<T>(x);
  } else {
    return static_cast<typename Fold::template Acc<T>>(x);
  }
}

}  // namespace math_ops
