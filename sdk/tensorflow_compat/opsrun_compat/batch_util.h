// opsrun_compat/batch_util.h: batch_util::CopyElementToSlice and relatives: the elements of a batch.
//
// An element of a batch has an index in dimension 0. All of them fail without a change if types or sizes do not match.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/op_kernel.h"
#include "opsrun/register_types.h"
#include "opsrun/tensor.h"
#include "opsrun_compat/tensor_util.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// The number of elements of type T behind one index of dimension 0.
inline int64 RowSize(const Tensor& batch) {
  int64 size = 1;
  for (int i = 1; i < batch.dims(); ++i) size *= batch.dim_size(i);
  return size;
}
inline Status NotOfBatch(const Tensor& element, const Tensor& batch) {
  return errors::InvalidArgument("An element of type ", DataTypeString(element.dtype()), " and shape ", element.shape(),
                                 " does not fit a batch of type ", DataTypeString(batch.dtype()), " and shape ",
                                 batch.shape());
}
inline bool IsOfBatch(const Tensor& element, const Tensor& batch) {
  return batch.dims() > 0 && element.dtype() == batch.dtype() && element.NumElements() == RowSize(batch);
}

// Copies an element, which may be smaller than the batch's: its dimension i to the beginning of the batch's i + 1.
inline void CopyCorner(const Tensor& element, int dim, int64 from, Tensor* batch, int64 to) {
  if (dim == element.dims()) {
    CopyElements(element, from, batch, to, 1);
    return;
  }
  int64 from_step = 1, to_step = 1;
  for (int i = dim + 1; i < element.dims(); ++i) {
    from_step *= element.dim_size(i);
    to_step *= batch->dim_size(i + 1);
  }
  if (dim + 1 == element.dims()) {
    CopyElements(element, from, batch, to, element.dim_size(dim));
    return;
  }
  for (int64 i = 0; i < element.dim_size(dim); ++i) {
    CopyCorner(element, dim + 1, from + i * from_step, batch, to + i * to_step);
  }
}

}  // namespace internal

namespace batch_util {

inline ReturnedStatus CopyElementToSlice(const Tensor& element, Tensor* parent, int64 index) {
  if (!internal::IsOfBatch(element, *parent)) return internal::NotOfBatch(element, *parent);
  internal::CopyElements(element, parent, index * element.NumElements());
  return Status();
}
inline ReturnedStatus CopySliceToElement(const Tensor& parent, Tensor* element, int64 index) {
  if (!internal::IsOfBatch(*element, parent)) return internal::NotOfBatch(*element, parent);
  const int64 n = element->NumElements();
  internal::CopyElements(parent, index * n, element, 0, n);
  return Status();
}
// What is left in the batch is unspecified.
inline ReturnedStatus MaybeMoveSliceToElement(Tensor* parent, Tensor* element, int64 index) {
  return CopySliceToElement(*parent, element, index);
}

// Copies elements, from index src_offset of one batch to index dst_offset of another. FAILED_PRECONDITION: they do not
// match, or there are no such indices.
inline ReturnedStatus CopyContiguousSlices(const Tensor& src, int64 src_offset, int64 dst_offset, int64 num_slices,
                                           Tensor* dst) {
  if (src.dims() < 1 || dst->dims() < 1 || src.dtype() != dst->dtype() ||
      internal::RowSize(src) != internal::RowSize(*dst)) {
    return errors::FailedPrecondition("Elements of the shapes ", src.shape(), " and ", dst->shape(), " do not match");
  }
  const auto has = [num_slices](const Tensor& batch, int64 offset) {
    return offset >= 0 && num_slices >= 0 && offset <= batch.dim_size(0) - num_slices;
  };
  if (!has(src, src_offset) || !has(*dst, dst_offset)) {
    return errors::FailedPrecondition("Cannot copy ", num_slices, " elements from ", src_offset, " of ",
                                      src.dim_size(0), " to ", dst_offset, " of ", dst->dim_size(0));
  }
  const int64 size = internal::RowSize(src);
  internal::CopyElements(src, src_offset * size, dst, dst_offset * size, num_slices * size);
  return Status();
}

// Sets all of a tensor to the value of the scalar `padding`.
inline ReturnedStatus SetElementZero(Tensor* element, const Tensor& padding) {
  if (padding.dtype() != element->dtype() || padding.NumElements() != 1) {
    return internal::NotOfBatch(padding, *element);
  }
  for (int64 i = 0; i < element->NumElements(); ++i) internal::CopyElements(padding, element, i);
  return Status();
}

// Copies an element that is smaller than those of the batch in some dimensions. The rest of it does not change.
inline ReturnedStatus CopyElementToLargerSlice(const Tensor& element, Tensor* parent, int index) {
  bool fits = element.dims() + 1 == parent->dims() && element.dtype() == parent->dtype();
  for (int i = 0; fits && i < element.dims(); ++i) fits = element.dim_size(i) <= parent->dim_size(i + 1);
  if (!fits) return internal::NotOfBatch(element, *parent);
  if (element.NumElements() > 0) internal::CopyCorner(element, 0, 0, parent, index * internal::RowSize(*parent));
  return Status();
}

}  // namespace batch_util
}  // namespace OPSRUN_HIDDEN
