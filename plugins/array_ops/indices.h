// plugins/array_ops/indices.h: indices from input tensors, which must be checked before they are used.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "opsrun/check_shapes.h"
#include "opsrun/shape_inference.h"
#include "opsrun/status.h"
#include "opsrun/tensor.h"

namespace array_ops {

// Axes, sizes and positions that int32 or int64 tensors hold.
//
// `name` is the input that holds them, which errors blame.

using opsrun::int64;

// INVALID_ARGUMENT that blames an input.
template <typename... Pieces>
opsrun::Status Wrong(const std::string& name, const Pieces&... pieces) {
  return opsrun::errors::InvalidArgument(pieces...).Blame("input:" + name);
}

// All elements of an int32 or int64 tensor, of any rank.
std::vector<int64> Integers(const opsrun::Tensor& tensor);

opsrun::Status ReadScalar(const opsrun::Tensor& tensor, const char* name, int64* value);
opsrun::Status ReadVector(const opsrun::Tensor& tensor, const char* name, std::vector<int64>* values);
// A vector of sizes, none of which is negative.
opsrun::Status ReadShape(const opsrun::Tensor& tensor, const char* name, opsrun::TensorShape* shape);

// *resolved is in [0, rank); a negative axis counts from the end. `what` names the tensor that has this rank.
opsrun::Status ResolveAxis(int64 axis, int64 rank, const char* name, const char* what, int64* resolved);

// Sets an output shape of unknown sizes and known rank; -1: the rank is unknown too.
opsrun::Status SetUnknownOfRank(opsrun::shape_inference::InferenceContext* c, int rank);

// "[2,0]" for element i of a tensor of that shape.
std::string PlaceOf(int64 i, const opsrun::TensorShape& shape);

// The error for index `i` of indices of that shape: not in [0, size), the range of a dimension of `what`. It blames
// input `name`.
opsrun::Status IndexOutOfRange(const opsrun::TensorShape& indices, int64 i, int64 index, const char* name, int64 size,
                               int64 axis, const char* what);

// Each element must be in [0, size), the range of a dimension of `what`. Errors blame input `name`.
opsrun::Status CheckIndices(const opsrun::Tensor& indices, const char* name, int64 size, int64 axis, const char* what);

// Vectors of `depth` indices into the leading dimensions of a shape.
class IndexVectors {
 public:
  // The last dimension of `indices`, which is the input `name`, holds the vectors. `into` is the shape of `what`.
  // Requires: the vectors are at most as long as its rank.
  IndexVectors(const opsrun::Tensor& indices, const char* name, const opsrun::TensorShape& into, const char* what);

  int64 count() const { return count_; }
  // The number of elements of the shape that each vector selects.
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
