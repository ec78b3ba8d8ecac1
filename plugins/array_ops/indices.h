// plugins/array_ops/indices.h: indices that come with the data, which must be checked before anything is read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "integers.h"
#include "opsrun/tensor.h"

namespace array_ops {

// "[2,0]" for element i of a tensor of that shape.
std::string PlaceOf(int64 i, const opsrun::TensorShape& shape);

// Index `i` of indices of that shape is not in [0, size), the range of a dimension of `what`. `name` gets the blame.
opsrun::Status IndexOutOfRange(const opsrun::TensorShape& indices, int64 i, int64 index, const char* name, int64 size,
                               int64 axis, const char* what);

// Each element must be in [0, size), the range of a dimension of `what`. `name` is the input that gets the blame.
opsrun::Status CheckIndices(const opsrun::Tensor& indices, const char* name, int64 size, int64 axis, const char* what);

// Vectors of `depth` indices into the leading dimensions of a shape.
class IndexVectors {
 public:
  // The last dimension of `indices`, which is the input `name`, goes along the vectors. `into` is the shape of `what`.
  // Requires: the vectors are at most as long as its rank.
  IndexVectors(const opsrun::Tensor& indices, const char* name, const opsrun::TensorShape& into, const char* what);

  int64 count() const { return count_; }
  // How many elements of the shape each vector stands for.
  int64 slice() const { return slice_; }
  // Where the slice of each vector begins. INVALID_ARGUMENT: an index is out of range.
  opsrun::Status Offsets(std::vector<int64>* offsets) const;

 private:
  const opsrun::Tensor& indices_;
  const opsrun::TensorShape into_;
  const char *name_, *what_;
  int depth_;
  int64 count_ = 1, slice_ = 1;
};

}  // namespace array_ops
