// plugins/math_ops/strided.h: visits the elements that a reduction combines to one result.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "types.h"

namespace math_ops {

// The offsets of all elements along some dimensions of a tensor, at index 0 of the others.
class Offsets {
 public:
  // of_reduced: along the reduced dimensions; otherwise along the kept ones.
  Offsets(const opsrun::TensorShape& shape, const bool* reduced, bool of_reduced) {
    int64 stride = 1;
    offsets_ = {0};
    for (int i = shape.dims() - 1; i >= 0; --i) {
      if (reduced[i] == of_reduced) AddOutside(shape.dim_size(i), stride);
      stride *= shape.dim_size(i);
    }
  }

  const std::vector<int64>& all() const { return offsets_; }

 private:
  void AddOutside(int64 size, int64 stride) {
    const std::vector<int64> inner = offsets_;
    offsets_.clear();
    for (int64 i = 0; i < size; ++i) {
      for (const int64 offset : inner) offsets_.push_back(i * stride + offset);
    }
  }

  std::vector<int64> offsets_;
};

}  // namespace math_ops
