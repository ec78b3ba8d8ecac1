// opsrun_compat/tensor_util.h: tensor::DeepCopy, Concat, Split and the elements of a batch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/op_kernel.h"
#include "opsrun/tensor.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// Copies all elements of `from` to the elements of `to` from number `first` on. Requires: one type, and enough
// elements.
inline void CopyElements(const Tensor& from, Tensor* to, int64 first) {
  const int64 n = from.NumElements();
  if (from.dtype() == DT_STRING) {
    for (int64 i = 0; i < n; ++i) to->flat<tstring>()(first + i) = from.flat<tstring>()(i);
  } else if (from.dtype() == DT_RESOURCE) {
    for (int64 i = 0; i < n; ++i) to->flat<ResourceHandle>()(first + i) = from.flat<ResourceHandle>()(i);
  } else if (n > 0) {
    memcpy(static_cast<char*>(to->data()) + first * DataTypeSize(from.dtype()), from.data(), from.TotalBytes());
  }
}

}  // namespace internal

namespace tensor {

// A tensor with elements of its own. For memory that the CPU can read.
inline Tensor DeepCopy(const Tensor& other) {
  Tensor copy(other.dtype(), other.shape());
  internal::CopyElements(other, &copy, 0);
  return copy;
}

// Joins tensors along dimension 0, in which alone they may differ.
inline ReturnedStatus Concat(const std::vector<Tensor>& tensors, Tensor* result) {
  if (tensors.empty()) return errors::InvalidArgument("Cannot concatenate zero tensors");
  TensorShape shape = tensors[0].shape();
  int64 rows = 0;
  for (const Tensor& tensor : tensors) {
    if (tensor.dims() < 1) return errors::InvalidArgument("Cannot concatenate a zero-dimensional tensor");
    if (tensor.dtype() != tensors[0].dtype()) return errors::InvalidArgument("Cannot concatenate different data types");
    rows += tensor.dim_size(0);
    TensorShape rest = tensor.shape();
    rest.set_dim(0, shape.dim_size(0));
    if (rest != shape) return errors::InvalidArgument("Cannot concatenate shapes that differ after dimension 0");
  }
  shape.set_dim(0, rows);
  *result = Tensor(tensors[0].dtype(), shape);
  int64 first = 0;
  for (const Tensor& tensor : tensors) {
    internal::CopyElements(tensor, result, first);
    first += tensor.NumElements();
  }
  return Status();
}

// Takes a tensor apart along dimension 0. The sizes must add up to that of the tensor.
template <typename Sizes = std::vector<int64>>
ReturnedStatus Split(const Tensor& tensor, const Sizes& sizes, std::vector<Tensor>* result) {
  int64 total = 0;
  for (const int64 size : sizes) total += size;
  if (tensor.dims() < 1 || total != tensor.dim_size(0)) {
    return errors::InvalidArgument("The values in 'sizes' do not sum to the zeroth-dimension size of 'tensor'");
  }
  int64 first = 0;
  for (const int64 size : sizes) {
    result->push_back(DeepCopy(tensor.Slice(first, first + size)));
    first += size;
  }
  return Status();
}

}  // namespace tensor

namespace batch_util {

// Element `index` of a batch, that is, along dimension 0, which must have the element's shape.
inline ReturnedStatus CopyElementToSlice(const Tensor& element, Tensor* parent, int64 index) {
  if (element.NumElements() != parent->SubSlice(index).NumElements()) {
    return errors::InvalidArgument("An element of shape ", element.shape(), " does not fit a batch of shape ",
                                   parent->shape());
  }
  internal::CopyElements(element, parent, index * element.NumElements());
  return Status();
}
inline ReturnedStatus CopySliceToElement(const Tensor& parent, Tensor* element, int64 index) {
  const Tensor slice = parent.SubSlice(index);
  if (element->NumElements() != slice.NumElements()) {
    return errors::InvalidArgument("An element of shape ", element->shape(), " does not fit a batch of shape ",
                                   parent.shape());
  }
  internal::CopyElements(slice, element, 0);
  return Status();
}

}  // namespace batch_util
}  // namespace OPSRUN_HIDDEN
