// opsrun_compat/to_32_bit.h: To32Bit: maps and sizes with int indices, which are faster on GPUs. Requires: Eigen.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <type_traits>
#include <utility>

#include "opsrun/internal/enter_tensorflow.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

template <typename Index, int N>
bool SafeFor32BitIndexing(const Eigen::DSizes<Index, N>& sizes) {
  for (int i = 0; i < N; ++i) {
    if (sizes[i] > std::numeric_limits<int>::max()) return false;
  }
  return true;
}
template <typename Plain, int Options, template <class> class MakePointer>
bool SafeFor32BitIndexing(const Eigen::TensorMap<Plain, Options, MakePointer>& map) {
  return map.size() <= std::numeric_limits<int>::max();
}

// Requires: SafeFor32BitIndexing(sizes).
template <typename Index, int N>
Eigen::DSizes<int, N> To32Bit(const Eigen::DSizes<Index, N>& sizes) {
  Eigen::DSizes<int, N> small;
  for (int i = 0; i < N; ++i) small[i] = static_cast<int>(sizes[i]);
  return small;
}
// A map of the same elements.
template <typename T, int N, typename Index, int Options, template <class> class MakePointer>
Eigen::TensorMap<Eigen::Tensor<T, N, Eigen::RowMajor, int>> To32Bit(
    const Eigen::TensorMap<Eigen::Tensor<T, N, Eigen::RowMajor, Index>, Options, MakePointer>& map) {
  return {const_cast<T*>(map.data()), To32Bit(map.dimensions())};
}

// Calls `f` with the arguments, or on a GPU with To32Bit of them if that is safe.
template <typename Device, typename F, typename... Args>
void MaybeWith32BitIndexing(F f, Args&&... args) {
  if constexpr (std::is_same_v<Device, Eigen::GpuDevice>) {
    if ((SafeFor32BitIndexing(args) && ...)) return f(To32Bit(args)...);
  }
  f(std::forward<Args>(args)...);
}

}  // namespace OPSRUN_HIDDEN
