// plugins/shape_ops/moving_ops.h: the kernels of Reshape and Fill, for any device. A device says how it moves elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/op_kernel.h"

namespace shape_ops {

// The shape of the output, from the inputs. INVALID_ARGUMENT: the sizes are no shape, or do not fit.
opsrun::Status FindReshaped(opsrun::OpKernelContext* context, opsrun::TensorShape* shape);
opsrun::Status FindFilled(opsrun::OpKernelContext* context, opsrun::TensorShape* shape);

// kCopy gives the output the elements of the input; there are some.
template <opsrun::Status (*kCopy)(opsrun::OpKernelContext*, const opsrun::Tensor&, opsrun::Tensor*)>
class ReshapeOp : public opsrun::OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(opsrun::OpKernelContext* context) override {
    const opsrun::Tensor& input = context->input(0);
    opsrun::TensorShape shape;
    OP_REQUIRES_OK(context, FindReshaped(context, &shape));
    opsrun::Tensor* output = nullptr;
    int forwarded = -1;
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_output({0}, 0, shape, &output, &forwarded));
    if (forwarded < 0 && input.NumElements() > 0) OP_REQUIRES_OK(context, kCopy(context, input, output));
  }
};

// kRepeat gives every element of the output the value; there are some.
template <opsrun::Status (*kRepeat)(opsrun::OpKernelContext*, const opsrun::Tensor& value, opsrun::Tensor*)>
class FillOp : public opsrun::OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(opsrun::OpKernelContext* context) override {
    opsrun::TensorShape shape;
    OP_REQUIRES_OK(context, FindFilled(context, &shape));
    opsrun::Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    if (output->NumElements() > 0) OP_REQUIRES_OK(context, kRepeat(context, context->input(1), output));
  }
};

}  // namespace shape_ops
