// plugins/array_ops/gather_op.h: the kernel of Gather and GatherV2, for any device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gather_layout.h"
#include "opsrun/op_kernel.h"

namespace array_ops {

// kGather checks the indices and fills the output, which may have no elements.
template <opsrun::Status (*kGather)(opsrun::OpKernelContext*, const GatherLayout&, opsrun::Tensor*)>
class GatherOp : public opsrun::OpKernel {
 public:
  explicit GatherOp(opsrun::OpKernelConstruction* context) : OpKernel(context) {
    if (context->num_inputs() > 2) OP_REQUIRES_OK(context, context->GetAttr("batch_dims", &batch_dims_));
  }

  void Compute(opsrun::OpKernelContext* context) override {
    const opsrun::Tensor* const axis = context->num_inputs() > 2 ? &context->input(2) : nullptr;
    GatherLayout layout;
    OP_REQUIRES_OK(context, layout.Make(context->input(0).shape(), context->input(1).shape(), axis, batch_dims_));
    opsrun::Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, layout.result, &output));
    OP_REQUIRES_OK(context, kGather(context, layout, output));
  }

 private:
  int64 batch_dims_ = 0;
};

}  // namespace array_ops
