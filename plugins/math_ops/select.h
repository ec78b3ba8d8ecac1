// plugins/math_ops/select.h: kernels that choose each element from one of two tensors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "broadcast.h"

namespace math_ops {

// The shape in which the condition, input 0, is broadcast with t and e, inputs 1 and 2. It has as many elements as the
// condition. Select and SelectV2 differ in it.
typedef Status (*ConditionShape)(OpKernelContext* context, TensorShape* shape);
Status SelectConditionShape(OpKernelContext* context, TensorShape* shape);
Status SelectV2ConditionShape(OpKernelContext* context, TensorShape* shape);

// Writes the elements of the output, which have a fixed size, on the host's threads or on a GPU.
typedef Status (*Choose)(OpKernelContext* context, const Broadcast& broadcast, Tensor* output);

template <ConditionShape kConditionShape, Choose kChoose>
class SelectOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    TensorShape condition;
    OP_REQUIRES_OK(context, kConditionShape(context, &condition));
    Broadcast broadcast;
    OP_REQUIRES_OK(context, broadcast.Make({condition, context->input(1).shape(), context->input(2).shape()}));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, MakeOutput(context, {1, 2}, broadcast.shape(), &output));
    OP_REQUIRES_OK(context, kChoose(context, broadcast, output));
  }
};

Status ChooseOnCpu(OpKernelContext* context, const Broadcast& broadcast, Tensor* output);

}  // namespace math_ops
