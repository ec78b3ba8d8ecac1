// opsrun_compat/ops_util.h: helpers of TensorFlow's kernels, and base classes of element-wise ones.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/op_kernel.h"
#include "opsrun_compat/eigen.h"
#include "opsrun_compat/gtl.h"
#include "opsrun_compat/padding.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// The first input of a window, and the number of inputs it covers. INVALID_ARGUMENT: it begins after the inputs.
inline ReturnedStatus GetBroadcastSize(int index, int in_size, int ksize, int stride, int pad_size, int* bindex,
                                       int* bsize) {
  if (index * stride > in_size) {
    return errors::InvalidArgument("Window ", index, " with stride ", stride, " begins after ", in_size, " inputs");
  }
  const int begin = index * stride - pad_size;
  *bindex = std::max(begin, 0);
  // For a window that begins in the zeros, TensorFlow subtracts them only if its end is within the inputs.
  *bsize = *bindex + ksize > in_size ? std::min(in_size - *bindex, ksize) : ksize + std::min(begin, 0);
  return Status();
}

#ifdef OPSRUN_EIGEN_IS_IN
// Eigen does not support EXPLICIT padding: it fails the running call.
inline Eigen::PaddingType BrainPadding2EigenPadding(Padding padding) {
  if (padding == EXPLICIT) internal::Fail(errors::Internal("Eigen has no EXPLICIT padding"));
  return padding == VALID ? Eigen::PADDING_VALID : Eigen::PADDING_SAME;
}
#endif

namespace internal {
template <typename T, typename Shape>
gtl::InlinedVector<T, 8> StridesOf(const Shape& size_of, int rank) {
  gtl::InlinedVector<T, 8> strides(static_cast<size_t>(rank), T{1});
  for (int i = rank - 1; i > 0; --i) {
    strides[static_cast<size_t>(i - 1)] = strides[static_cast<size_t>(i)] * static_cast<T>(size_of(i));
  }
  return strides;
}
}  // namespace internal

// The strides of each dimension, in elements.
template <typename T>
gtl::InlinedVector<T, 8> ComputeStride(const TensorShape& shape) {
  return internal::StridesOf<T>([&shape](int i) { return shape.dim_size(i); }, shape.dims());
}
// The same for Eigen's dimensions.
template <typename T, typename EigenDimensions>
gtl::InlinedVector<T, 8> ComputeEigenStrides(const EigenDimensions& shape) {
  return internal::StridesOf<T>([&shape](int i) { return shape[i]; }, static_cast<int>(shape.rank()));
}

#ifdef OPSRUN_EIGEN_IS_IN
// Whether the slices of an aligned tensor along dimension 0 are aligned for Eigen. False for scalars and empty tensors.
template <typename T>
bool IsInnerDimsSizeAligned(const TensorShape& shape) {
  if (shape.dims() == 0 || shape.num_elements() == 0) return false;
  const int64 bytes = shape.num_elements() / shape.dim_size(0) * static_cast<int64>(sizeof(T));
  return EIGEN_MAX_ALIGN_BYTES == 0 || bytes % EIGEN_MAX_ALIGN_BYTES == 0;
}
// The same for the elements from `start` on.
template <typename T>
bool IsDim0SliceAligned(const TensorShape& shape, int64 start, int64 end_or_size) {
  if (shape.dims() == 0) return false;
  const bool is_whole = start == 0 && end_or_size == shape.dim_size(0);
  return is_whole || IsInnerDimsSizeAligned<T>(shape);
}
#endif

// Replaces characters that a thread's name cannot contain by '_'.
inline std::string SanitizeThreadSuffix(std::string suffix) {
  for (char& c : suffix) {
    const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!is_word && c != '-') c = '_';
  }
  return suffix;
}

template <typename T>
class UnaryOp : public OpKernel {
 public:
  explicit UnaryOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->MatchSignature({DataTypeToEnum<T>::v()}, {DataTypeToEnum<T>::v()}));
  }
};

template <typename T>
class BinaryOp : public OpKernel {
 public:
  explicit BinaryOp(OpKernelConstruction* context) : OpKernel(context) {
    constexpr DataType type = DataTypeToEnum<T>::v();
    OP_REQUIRES_OK(context, context->MatchSignature({type, type}, {type}));
  }
};

// Child must have Operate(OpKernelContext*, const Tensor& input, Tensor* output). Both tensors have the same shape.
template <typename T, typename Child>
class UnaryElementWiseOp : public UnaryOp<T> {
 public:
  using UnaryOp<T>::UnaryOp;
  void Compute(OpKernelContext* context) override {
    Tensor* output = nullptr;
    const Tensor& input = context->input(0);
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_output({0}, 0, input.shape(), &output));
    static_cast<Child*>(this)->Operate(context, input, output);
  }
};

// Child must have Operate<kRank>(OpKernelContext*, const Tensor& a, const Tensor& b, Tensor* output); of one shape.
template <typename T, typename Child>
class BinaryElementWiseOp : public BinaryOp<T> {
 public:
  using BinaryOp<T>::BinaryOp;
  void Compute(OpKernelContext* context) override {
    const Tensor &a = context->input(0), &b = context->input(1);
    OP_REQUIRES(context, a.shape() == b.shape(),
                errors::InvalidArgument("Inputs to operation ", this->name(), " of type ", this->type_string(),
                                        " must have the same size and shape. Input 0: ", a.shape().DebugString(),
                                        " != input 1: ", b.shape().DebugString()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_output({0, 1}, 0, a.shape(), &output));
    if (!OperateOnRank(context, a, b, output, std::make_integer_sequence<int, 9>())) {
      context->SetStatus(errors::OutOfRange("At most 8 dimensions, found ", a.dims()));
    }
  }

 private:
  template <int... kRanks>
  bool OperateOnRank(OpKernelContext* context, const Tensor& a, const Tensor& b, Tensor* output,
                     std::integer_sequence<int, kRanks...>) {
    const auto operate = [&](auto rank) {
      static_cast<Child*>(this)->template Operate<rank.value>(context, a, b, output);
      return true;
    };
    return ((a.dims() == kRanks && operate(std::integral_constant<int, kRanks>())) || ...);
  }
};

}  // namespace OPSRUN_HIDDEN
