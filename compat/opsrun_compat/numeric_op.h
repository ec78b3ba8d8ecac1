// opsrun_compat/numeric_op.h: UnaryOp, BinaryOp and their element-wise forms: kernels whose types and shapes are
// checked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/op_kernel.h"
#include "opsrun_compat/basics.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

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
