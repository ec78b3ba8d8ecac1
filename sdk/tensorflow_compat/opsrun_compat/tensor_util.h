// opsrun_compat/tensor_util.h: tensor::DeepCopy, Concat and Split.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/op_kernel.h"
#include "opsrun/tensor.h"
#include "opsrun_compat/logging.h"
#include "opsrun_compat/variant.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// Copies n elements of `from`, from number first_from on, to those of `to` from number first_to on. Requires: one type,
// and that the elements exist.
template <typename T>
void CopyObjects(const Tensor& from, int64 first_from, Tensor* to, int64 first_to, int64 n) {
  const auto source = from.flat<T>();
  auto target = to->flat<T>();
  for (int64 i = 0; i < n; ++i) target(first_to + i) = source(first_from + i);
}
inline void CopyElements(const Tensor& from, int64 first_from, Tensor* to, int64 first_to, int64 n) {
  if (from.dtype() == DT_STRING) {
    CopyObjects<tstring>(from, first_from, to, first_to, n);
  } else if (from.dtype() == DT_RESOURCE) {
    CopyObjects<ResourceHandle>(from, first_from, to, first_to, n);
  } else if (from.dtype() == DT_VARIANT) {
    CopyObjects<Variant>(from, first_from, to, first_to, n);
  } else if (n > 0) {
    const int64 size = DataTypeSize(from.dtype());
    memcpy(static_cast<char*>(to->data()) + first_to * size, static_cast<const char*>(from.data()) + first_from * size,
           static_cast<size_t>(n * size));
  }
}
inline void CopyElements(const Tensor& from, Tensor* to, int64 first) {
  CopyElements(from, 0, to, first, from.NumElements());
}

}  // namespace internal

namespace tensor {

// The shape whose sizes are the elements of a vector of int32 or int64. INVALID_ARGUMENT: it is something else, or a
// size is negative.
inline ReturnedStatus MakeShape(const Tensor& sizes, TensorShape* shape) {
  if (!TensorShapeUtils::IsVector(sizes.shape())) {
    return errors::InvalidArgument("A shape must be a vector, got a tensor of shape ", sizes.shape());
  }
  if (sizes.dtype() == DT_INT32) return TensorShapeUtils::MakeShape(sizes.flat<int32>(), shape);
  if (sizes.dtype() == DT_INT64) return TensorShapeUtils::MakeShape(sizes.flat<int64_t>(), shape);
  return errors::InvalidArgument("A shape must consist of int32 or int64, got ", DataTypeString(sizes.dtype()));
}

// A tensor with elements of its own. For memory that the CPU can read.
inline Tensor DeepCopy(const Tensor& other) {
  Tensor copy(other.dtype(), other.shape());
  internal::CopyElements(other, &copy, 0);
  return copy;
}
// The same to a tensor of that type with as many elements.
inline void DeepCopy(const Tensor& other, Tensor* copy) {
  CHECK(other.dtype() == copy->dtype() && other.NumElements() == copy->NumElements())
      << "a tensor is copied to one of another type or size";
  internal::CopyElements(other, copy, 0);
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

}  // namespace OPSRUN_HIDDEN
