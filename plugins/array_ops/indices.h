// plugins/array_ops/indices.h: indices from input tensors, which must be checked before they are used.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/check_shapes.h"
#include "opsrun/elements.h"

namespace array_ops {

using namespace opsrun;

// Axes, sizes and positions that int32 or int64 tensors hold. `name` is the input that holds them, which errors blame.

// INVALID_ARGUMENT that blames an input.
template <typename... Pieces>
Status Wrong(const std::string& name, const Pieces&... pieces) {
  return errors::InvalidArgument(pieces...).Blame("input:" + name);
}

// All elements of an int32 or int64 tensor, of any rank.
std::vector<int64> Integers(const Tensor& tensor);

Status ReadScalar(const Tensor& tensor, const char* name, int64* value);
Status ReadVector(const Tensor& tensor, const char* name, std::vector<int64>* values);
// A vector of sizes, none of which is negative.
Status ReadShape(const Tensor& tensor, const char* name, TensorShape* shape);

// *resolved is in [0, rank); a negative axis counts from the end. `what` names the tensor that has this rank.
Status ResolveAxis(int64 axis, int64 rank, const char* name, const char* what, int64* resolved);

// INVALID_ARGUMENT: the vector `name` must have an element for each dimension of `what`. -1: unknown length or rank.
Status CheckLength(int64 length, const char* name, int64 rank, const char* what);
// The length of a vector, or -1 if it is unknown.
int64 LengthOf(shape_inference::InferenceContext* c, int input);

// Sets an output shape of unknown sizes and known rank; -1: the rank is unknown too.
Status SetUnknownOfRank(shape_inference::InferenceContext* c, int rank);
// Sets the elements of the output, as far as they are known, to those of input 0, of which it has `counts` along each
// dimension: at(i, k) is the index in the input for index k along dimension i.
template <typename At>
void PassAt(shape_inference::InferenceContext* c, const std::vector<int64>& counts, const At& at) {
  if (!c->passed_elements(0)) return;
  std::vector<std::vector<int64_t>> positions(counts.size());
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > OPSRUN_MAX_RANK) return;
    for (int64 k = 0; k < counts[i]; ++k) positions[i].push_back(at(i, k));
  }
  shape_inference::TakeElements(c, 0, positions);
}
// The sizes of a shape. Requires: they are known.
std::vector<int64> SizesOf(shape_inference::InferenceContext* c, shape_inference::ShapeHandle shape);

// "[2,0]" for element i of a tensor of that shape.
std::string PlaceOf(int64 i, const TensorShape& shape);

// The error for index `i` of indices of that shape, which is not in [0, size), the range of a dimension of `what`.
Status IndexOutOfRange(const TensorShape& indices, int64 i, int64 index, const char* name, int64 size, int64 axis,
                       const char* what);

// Each element must be in [0, size), the range of a dimension of `what`. Errors blame input `name`.
Status CheckIndices(const Tensor& indices, const char* name, int64 size, int64 axis, const char* what);

// Where the slices begin that vectors of indices select. The vectors are the last dimension of `indices`, which is
// input `name`, and at most as long as the rank of `into`, the shape of `what`. *slice: the number of elements of a
// slice. INVALID_ARGUMENT: an index is out of range.
Status FindOffsets(const Tensor& indices, const char* name, const TensorShape& into, const char* what,
                   std::vector<int64>* offsets, int64* slice);

}  // namespace array_ops
