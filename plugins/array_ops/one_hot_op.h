// plugins/array_ops/one_hot_op.h: the kernel of OneHot, for any device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/op_kernel.h"

namespace array_ops {

using opsrun::int64;

// indices is [prefix, suffix], the output is [prefix, depth, suffix].
struct OneHotLayout {
  static constexpr int kIndices = 0, kDepth = 1, kOn = 2, kOff = 3;  // inputs

  int64 prefix = 1, depth = 0, suffix = 1;
};

// Computes the layout from the inputs and the attr `axis`. *shape is the shape of the output.
opsrun::Status FindOneHot(opsrun::OpKernelContext* context, int64 axis, OneHotLayout* layout,
                          opsrun::TensorShape* shape);

// kWrite fills the output. It is called only if the output has elements.
template <opsrun::Status (*kWrite)(opsrun::OpKernelContext*, const OneHotLayout&, opsrun::Tensor*)>
class OneHotOp : public opsrun::OpKernel {
 public:
  explicit OneHotOp(opsrun::OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("axis", &axis_));
  }

  void Compute(opsrun::OpKernelContext* context) override {
    OneHotLayout layout;
    opsrun::TensorShape shape;
    OP_REQUIRES_OK(context, FindOneHot(context, axis_, &layout, &shape));
    opsrun::Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    if (output->NumElements() > 0) OP_REQUIRES_OK(context, kWrite(context, layout, output));
  }

 private:
  int64 axis_ = -1;
};

}  // namespace array_ops
