// opsrun/internal/eigen_maps.h: Eigen's maps, which replace the light maps.
//
// Included after both Eigen and tensor_map.h. The maps do not assume alignment, because a host may pass a slice. On
// aligned data, an unaligned load costs nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

template <typename T, int N>
struct MapOf<T, N, void> {
  typedef Eigen::TensorMap<Eigen::Tensor<T, N, Eigen::RowMajor, ptrdiff_t>> type;
  static OPSRUN_ALWAYS_INLINE type Make(T* data, const std::array<ptrdiff_t, N>& dimensions) {
    Eigen::DSizes<ptrdiff_t, N> sizes;
    for (int i = 0; i < N; ++i) sizes[i] = dimensions[static_cast<size_t>(i)];
    return type(data, sizes);
  }
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
