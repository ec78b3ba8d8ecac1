// plugins/math_ops/reduce_layout.h: the dimensions of a reduction.
//
// Dimensions that are next to each other and are both reduced, or both kept, are joined. If the last one is then
// reduced, one result comes from runs of consecutive elements. If it is kept, consecutive results come from rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "opsrun/tensor_shape.h"
#include "types.h"

namespace math_ops {

// Nested dimensions of a part of the input, and how far apart their elements are.
struct Dims {
  int rank = 0;
  int64 sizes[OPSRUN_MAX_RANK], strides[OPSRUN_MAX_RANK];

  void AddInside(int64 size, int64 stride) {
    sizes[rank] = size;
    strides[rank++] = stride;
  }
  int64 Count() const {
    int64 count = 1;
    for (int i = 0; i < rank; ++i) count *= sizes[i];
    return count;
  }
  int64 OffsetOf(int64 i) const {
    int64 offset = 0;
    for (int d = rank - 1; d > 0; --d) {
      offset += i % sizes[d] * strides[d];
      i /= sizes[d];
    }
    return rank == 0 ? 0 : offset + i * strides[0];
  }
};

// The input as outer kept dimensions, outer reduced ones, a line of reduced elements and a row of results.
struct Layout {
  Dims kept, reduced;
  int64 line = 1, line_stride = 1;
  int64 width = 1;  // of the row; 1 if the elements of a line are next to each other

  Layout(const opsrun::TensorShape& shape, const bool* is_reduced) {
    Dims all;
    bool flags[OPSRUN_MAX_RANK];
    Collapse(shape, is_reduced, &all, flags);
    int last = all.rank;
    if (last > 0 && !flags[last - 1]) width = all.sizes[--last];
    for (int i = 0; i < last; ++i) (flags[i] ? reduced : kept).AddInside(all.sizes[i], all.strides[i]);
    if (reduced.rank == 0) return;
    --reduced.rank;
    line = reduced.sizes[reduced.rank];
    line_stride = reduced.strides[reduced.rank];
  }

 private:
  // From the last dimension to the first, and then reversed.
  static void Collapse(const opsrun::TensorShape& shape, const bool* is_reduced, Dims* all, bool* flags) {
    int64 stride = 1;
    for (int i = shape.dims() - 1; i >= 0; --i) {
      const int64 size = shape.dim_size(i);
      if (size == 1) continue;
      if (all->rank > 0 && flags[all->rank - 1] == is_reduced[i]) {
        all->sizes[all->rank - 1] *= size;
      } else {
        flags[all->rank] = is_reduced[i];
        all->AddInside(size, stride);
      }
      stride *= size;
    }
    std::reverse(all->sizes, all->sizes + all->rank);
    std::reverse(all->strides, all->strides + all->rank);
    std::reverse(flags, flags + all->rank);
  }
};

}  // namespace math_ops
