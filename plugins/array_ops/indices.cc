// SPDX-License-Identifier: Apache-2.0
#include "indices.h"

namespace array_ops {

using shape_inference::InferenceContext;

namespace {

// The first element that is outside of [0, size), or the number of elements.
template <typename Index>
int64 FirstOutside(const Index* indices, int64 n, int64 size) {
  bool outside = false;
  for (int64 i = 0; i < n; ++i) outside |= static_cast<uint64_t>(int64{indices[i]}) >= static_cast<uint64_t>(size);
  if (!outside) return n;
  int64 i = 0;
  while (static_cast<uint64_t>(int64{indices[i]}) < static_cast<uint64_t>(size)) ++i;
  return i;
}

int64 IndexAt(const Tensor& indices, int64 i) {
  return indices.dtype() == DT_INT32 ? static_cast<const int32*>(indices.data())[i]
                                     : static_cast<const int64_t*>(indices.data())[i];
}

}  // namespace

std::string PlaceOf(int64 i, const TensorShape& shape) {
  std::string place;
  for (int d = shape.dims() - 1; d >= 0; --d) {
    place = std::to_string(i % shape.dim_size(d)) + (place.empty() ? "" : ",") + place;
    i /= shape.dim_size(d);
  }
  return shape.dims() == 0 ? "" : "[" + place + "]";
}

Status IndexOutOfRange(const TensorShape& indices, int64 i, int64 index, const char* name, int64 size, int64 axis,
                       const char* what) {
  const std::string place = PlaceOf(i, indices);
  if (size == 0) {
    return Wrong(name, name, place, " is ", index, ", but dimension ", axis, " of ", what, " has no elements");
  }
  return Wrong(name, name, place, " is ", index, ", but must be between 0 and ", size - 1, ", since dimension ", axis,
               " of ", what, " has size ", size);
}

Status CheckIndices(const Tensor& indices, const char* name, int64 size, int64 axis, const char* what) {
  const int64 n = indices.NumElements();
  const int64 i = indices.dtype() == DT_INT32 ? FirstOutside(static_cast<const int32*>(indices.data()), n, size)
                                              : FirstOutside(static_cast<const int64_t*>(indices.data()), n, size);
  if (i == n) return Status::OK();
  return IndexOutOfRange(indices.shape(), i, IndexAt(indices, i), name, size, axis, what);
}

Status FindOffsets(const Tensor& indices, const char* name, const TensorShape& into, const char* what,
                   std::vector<int64>* offsets, int64* slice) {
  const int last = indices.dims() - 1, depth = static_cast<int>(indices.dim_size(last));
  size_t count = 1;
  *slice = 1;
  for (int i = 0; i < last; ++i) count *= static_cast<size_t>(indices.dim_size(i));
  for (int i = depth; i < into.dims(); ++i) *slice *= into.dim_size(i);
  offsets->assign(count, 0);
  int64 at = 0;
  for (int64& offset : *offsets) {
    for (int d = 0; d < depth; ++d, ++at) {
      const int64 index = IndexAt(indices, at), size = into.dim_size(d);
      if (static_cast<uint64_t>(index) >= static_cast<uint64_t>(size)) {
        return IndexOutOfRange(indices.shape(), at, index, name, size, d, what);
      }
      offset = offset * size + index;
    }
    offset *= *slice;
  }
  return Status::OK();
}

std::vector<int64> Integers(const Tensor& tensor) {
  std::vector<int64> values(static_cast<size_t>(tensor.NumElements()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = IndexAt(tensor, static_cast<int64>(i));
  return values;
}

Status ReadScalar(const Tensor& tensor, const char* name, int64* value) {
  TF_RETURN_IF_ERROR(CheckScalar(tensor.shape(), name));
  *value = Integers(tensor)[0];
  return Status::OK();
}

Status ReadVector(const Tensor& tensor, const char* name, std::vector<int64>* values) {
  TF_RETURN_IF_ERROR(CheckVector(tensor.shape(), name));
  *values = Integers(tensor);
  return Status::OK();
}

Status ReadShape(const Tensor& tensor, const char* name, TensorShape* shape) {
  std::vector<int64> sizes;
  TF_RETURN_IF_ERROR(ReadVector(tensor, name, &sizes));
  return TensorShapeUtils::MakeShape(sizes, shape).Blame("input:" + std::string(name));
}

Status ResolveAxis(int64 axis, int64 rank, const char* name, const char* what, int64* resolved) {
  if (rank == 0) return Wrong(name, what, " is a scalar, which has no dimension ", axis);
  if (axis < -rank || axis >= rank) {
    return Wrong(name, name, " is ", axis, ", but must be between ", -rank, " and ", rank - 1, ", since ", what,
                 " has rank ", rank);
  }
  *resolved = axis < 0 ? axis + rank : axis;
  return Status::OK();
}

Status CheckLength(int64 length, const char* name, int64 rank, const char* what) {
  if (length < 0 || length == rank || (rank < 0 && length <= OPSRUN_MAX_RANK)) return Status::OK();
  if (rank >= 0) return Wrong(name, name, " has ", length, " elements, but ", what, " has rank ", rank);
  return Wrong(name, name, " has ", length, " elements, more than a tensor has dimensions");
}

int64 LengthOf(InferenceContext* c, int input) {
  return c->RankKnown(c->input(input)) ? c->Value(c->Dim(c->input(input), 0)) : -1;
}

Status SetUnknownOfRank(InferenceContext* c, int rank) {
  c->set_output(0, c->UnknownShapeOfRank(rank));
  return Status::OK();
}

std::vector<int64> SizesOf(InferenceContext* c, shape_inference::ShapeHandle shape) {
  std::vector<int64> sizes;
  for (int i = 0; i < c->Rank(shape); ++i) sizes.push_back(c->Value(c->Dim(shape, i)));
  return sizes;
}

}  // namespace array_ops
