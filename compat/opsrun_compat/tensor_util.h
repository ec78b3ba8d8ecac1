// opsrun_compat/tensor_util.h: functions that copy, join and split tensors and elements of batches; kept tensors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun_compat/variant.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// Copies n elements, from first_from to first_to. Requires: both have one type, and the elements exist.
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

// INVALID_ARGUMENT: the sizes are not a vector of int32 or int64, or one is negative.
inline ReturnedStatus MakeShape(const Tensor& sizes, TensorShape* shape) {
  if (!TensorShapeUtils::IsVector(sizes.shape())) {
    return errors::InvalidArgument("A shape must be a vector, got a tensor of shape ", sizes.shape());
  }
  if (sizes.dtype() == DT_INT32) return TensorShapeUtils::MakeShape(sizes.flat<int32>(), shape);
  if (sizes.dtype() == DT_INT64) return TensorShapeUtils::MakeShape(sizes.flat<int64_t>(), shape);
  return errors::InvalidArgument("A shape must consist of int32 or int64, got ", DataTypeString(sizes.dtype()));
}

// A tensor with its own elements. Requires: the memory is accessible to the CPU.
inline Tensor DeepCopy(const Tensor& other) {
  Tensor copy(other.dtype(), other.shape());
  internal::CopyElements(other, &copy, 0);
  return copy;
}
// The same, into a tensor of that type with as many elements.
inline void DeepCopy(const Tensor& other, Tensor* copy) {
  CHECK(other.dtype() == copy->dtype() && other.NumElements() == copy->NumElements())
      << "a tensor is copied to one of another type or size";
  internal::CopyElements(other, copy, 0);
}

// Joins tensors along dimension 0, the only one in which they may differ.
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

// Splits a tensor along dimension 0. The sizes must add up to the size of the tensor.
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

// An element of a batch is a slice along dimension 0. If types or sizes do not match, nothing is changed.

namespace internal {

// The number of elements of type T per slice along dimension 0.
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

// Copies an element that may be smaller than the batch's: its dimension i to the start of the batch's dimension i + 1.
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
// The remaining contents of the batch are unspecified.
inline ReturnedStatus MaybeMoveSliceToElement(Tensor* parent, Tensor* element, int64 index) {
  return CopySliceToElement(*parent, element, index);
}

// FAILED_PRECONDITION: the batches do not match, or an index is out of range.
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

// Sets all elements of a tensor to the value of the scalar `padding`.
inline ReturnedStatus SetElementZero(Tensor* element, const Tensor& padding) {
  if (padding.dtype() != element->dtype() || padding.NumElements() != 1) {
    return internal::NotOfBatch(padding, *element);
  }
  for (int64 i = 0; i < element->NumElements(); ++i) internal::CopyElements(padding, element, i);
  return Status();
}

// Copies an element that is smaller than those of the batch in some dimensions. The rest of the slice is unchanged.
inline ReturnedStatus CopyElementToLargerSlice(const Tensor& element, Tensor* parent, int index) {
  bool fits = element.dims() + 1 == parent->dims() && element.dtype() == parent->dtype();
  for (int i = 0; fits && i < element.dims(); ++i) fits = element.dim_size(i) <= parent->dim_size(i + 1);
  if (!fits) return internal::NotOfBatch(element, *parent);
  if (element.NumElements() > 0) internal::CopyCorner(element, 0, 0, parent, index * internal::RowSize(*parent));
  return Status();
}

}  // namespace batch_util

// PersistentTensor, a tensor that a kernel keeps between calls.

class PersistentTensor {
 public:
  PersistentTensor() = default;
  explicit PersistentTensor(const Tensor& tensor) : tensor_(tensor) {}

  template <typename Context>
  Tensor* AccessTensor(Context*) {
    return &tensor_;
  }
  bool IsInitialized() const { return tensor_.IsInitialized(); }
  int64 NumElements() const { return tensor_.NumElements(); }
  size_t AllocatedBytes() const { return tensor_.AllocatedBytes(); }

 private:
  Tensor tensor_;
};

// DMAHelper::base, the address of a tensor's elements.

class DMAHelper {
 public:
  static const void* base(const Tensor* tensor) { return tensor->data(); }
  static void* base(Tensor* tensor) { return tensor->data(); }
  // Whether elements are plain bytes, not objects.
  static bool CanUseDMA(const Tensor* tensor) {
    const DataType type = tensor->dtype();
    return type != DT_STRING && type != DT_RESOURCE && type != DT_VARIANT;
  }
};

}  // namespace OPSRUN_HIDDEN
