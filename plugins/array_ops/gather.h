// plugins/array_ops/gather.h: how Gather and GatherV2 see their inputs.
//
// params is [batch, before, size, slice], indices is [batch, count], and the result is [batch, before, count, slice].
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/op_kernel.h"
#include "opsrun/shape_inference.h"

namespace array_ops {

using opsrun::int64;

struct GatherLayout {
  int64 batch = 1, before = 1, size = 1, slice = 1, count = 1;
  int axis = 0;
  opsrun::TensorShape result;

  // INVALID_ARGUMENT: axis or batch_dims are out of range, or the batch dimensions differ. `axis_input` is NULL for 0.
  opsrun::Status Make(const opsrun::TensorShape& params, const opsrun::TensorShape& indices,
                      const opsrun::Tensor* axis_input, int64 batch_dims);
};

// params, indices
opsrun::Status GatherShape(opsrun::shape_inference::InferenceContext* c);
// params, indices, axis
opsrun::Status GatherV2Shape(opsrun::shape_inference::InferenceContext* c);

// The kernel of Gather and GatherV2, for any device.

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
