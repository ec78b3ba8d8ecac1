// opsrun/internal/map_sizes.h: the sizes of a map of rank N on a tensor, or a failure that explains why there is none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include <array>

#include "opsrun/namespace.h"
#include "opsrun/status.h"
#include "opsrun/tensor_shape.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

template <size_t N>
using MapSizes = std::array<ptrdiff_t, N>;

inline int64 ElementsOf(const opsrun_tensor& t) {
  return TensorShape::NumElements(t.shape, t.rank);
}

[[noreturn]] OPSRUN_COLD inline void FailType(const opsrun_tensor& t, DataType asked) {
  Fail(Error(error::INVALID_ARGUMENT, "The kernel asks for %s elements of a tensor of %s", DataTypeName(asked).c_str(),
             DataTypeName(static_cast<DataType>(t.dtype)).c_str()));
}

// Whether one is the unsigned version of the other.
OPSRUN_COLD inline bool DifferInSign(DataType a, DataType b) {
  constexpr DataType kPairs[][2] = {
      {DT_INT8, DT_UINT8}, {DT_INT16, DT_UINT16}, {DT_INT32, DT_UINT32}, {DT_INT64, DT_UINT64}};
  for (const auto& pair : kPairs) {
    if ((a == pair[0] && b == pair[1]) || (a == pair[1] && b == pair[0])) return true;
  }
  return false;
}

[[noreturn]] OPSRUN_COLD inline void FailShape(const opsrun_tensor& t, const std::string& asked) {
  Fail(Error(error::INVALID_ARGUMENT, "The kernel asks for %s of a tensor of shape %s", asked.c_str(),
             DimsString(t.shape, t.rank).c_str()));
}

// The sizes of the tensor, whose rank must be N.
template <size_t N>
MapSizes<N> OwnSizes(const opsrun_tensor& t) {
  if (TF_PREDICT_FALSE(t.rank != static_cast<int32_t>(N)))
    FailShape(t, Format("a map of rank %d", static_cast<int>(N)));
  MapSizes<N> sizes{};
  for (size_t i = 0; i < N; ++i) sizes[i] = t.shape[i];
  return sizes;
}

// No sizes. The tensor must have exactly one element.
inline MapSizes<0> ScalarSizes(const opsrun_tensor& t) {
  if (TF_PREDICT_FALSE(ElementsOf(t) != 1)) FailShape(t, "a scalar");
  return {};
}

// The sizes of `shape`, which must have rank N and as many elements as the tensor.
template <size_t N>
MapSizes<N> SizesOf(const opsrun_tensor& t, const TensorShape& shape) {
  if (TF_PREDICT_FALSE(shape.dims() != static_cast<int>(N) || shape.num_elements() != ElementsOf(t))) {
    FailShape(t, Format("a map of rank %d and shape %s", static_cast<int>(N), shape.DebugString().c_str()));
  }
  MapSizes<N> sizes{};
  for (size_t i = 0; i < N; ++i) sizes[i] = static_cast<ptrdiff_t>(shape.data()[i]);
  return sizes;
}

// The last N - 1 sizes, preceded by the product of the others. If the rank is below N, ones are added in front.
template <size_t N>
MapSizes<N> FoldLeading(const opsrun_tensor& t) {
  MapSizes<N> sizes;
  sizes.fill(1);
  const int rank = t.rank, shift = rank - static_cast<int>(N);
  for (int i = 0; i < rank; ++i) sizes[static_cast<size_t>(i < shift ? 0 : i - shift)] *= t.shape[i];
  return sizes;
}

// The first N - 1 sizes, followed by the product of the others. If the rank is below N, ones are added at the end.
template <size_t N>
MapSizes<N> FoldTrailing(const opsrun_tensor& t) {
  MapSizes<N> sizes;
  sizes.fill(1);
  for (int i = 0; i < t.rank; ++i) sizes[i < static_cast<int>(N) ? static_cast<size_t>(i) : N - 1] *= t.shape[i];
  return sizes;
}

// The N sizes from dimension `begin` on, the first multiplied by those before, the last by those after. Dimensions that
// do not exist count as 1.
template <size_t N>
MapSizes<N> FoldAround(const opsrun_tensor& t, int64 begin) {
  MapSizes<N> sizes;
  sizes.fill(1);
  for (int i = 0; i < t.rank; ++i) {
    const int64 at = i - begin;
    sizes[at < 0 ? 0 : at < static_cast<int64>(N) ? static_cast<size_t>(at) : N - 1] *= t.shape[i];
  }
  return sizes;
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
