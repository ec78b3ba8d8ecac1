// plugins/array_ops/indexed_ops.h: what the kernels of Gather, GatherV2, GatherNd, ScatterNd and OneHot share, on any
// device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/op_kernel.h"
#include "opsrun/shape_inference.h"

namespace array_ops {

using namespace opsrun;

// Gather and GatherV2: params is [batch, before, size, slice], indices is [batch, count], and the result is [batch,
// before, count, slice].
struct GatherLayout {
  int64 batch = 1, before = 1, size = 1, slice = 1, count = 1;
  int axis = 0;
  TensorShape result;

  // INVALID_ARGUMENT: axis or batch_dims are out of range, or the batch dimensions differ. `axis_input` is NULL for 0.
  Status Make(const TensorShape& params, const TensorShape& indices, const Tensor* axis_input, int64 batch_dims);
};

// params, indices
Status GatherShape(shape_inference::InferenceContext* c);
// params, indices, axis
Status GatherV2Shape(shape_inference::InferenceContext* c);

// The kernel of Gather and GatherV2, for any device.

// kGather checks the indices and fills the output, which may have no elements.
template <Status (*kGather)(OpKernelContext*, const GatherLayout&, Tensor*)>
class GatherOp : public OpKernel {
 public:
  explicit GatherOp(OpKernelConstruction* context) : OpKernel(context) {
    if (context->num_inputs() > 2) OP_REQUIRES_OK(context, context->GetAttr("batch_dims", &batch_dims_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor* const axis = context->num_inputs() > 2 ? &context->input(2) : nullptr;
    GatherLayout layout;
    OP_REQUIRES_OK(context, layout.Make(context->input(0).shape(), context->input(1).shape(), axis, batch_dims_));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, layout.result, &output));
    OP_REQUIRES_OK(context, kGather(context, layout, output));
  }

 private:
  int64 batch_dims_ = 0;
};

// GatherNd and ScatterNd.

// INVALID_ARGUMENT: the vectors of indices are longer than `rank`, the rank of `what`.
Status CheckDepth(const Tensor& indices, int rank, const char* what);

// The leading dimensions of indices, then the dimensions of `whole` that the vectors do not index.
Status NdShape(const TensorShape& indices, const TensorShape& whole, TensorShape* shape);

// kGather checks the indices and fills the output, which may have no elements.
template <Status (*kGather)(OpKernelContext*, Tensor* output)>
class GatherNdOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor &params = context->input(0), &indices = context->input(1);
    TensorShape shape;
    OP_REQUIRES_OK(context, CheckDepth(indices, params.dims(), "params"));
    OP_REQUIRES_OK(context, NdShape(indices.shape(), params.shape(), &shape));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    OP_REQUIRES_OK(context, kGather(context, output));
  }
};

// OneHot: indices is [prefix, suffix], the output is [prefix, depth, suffix].
struct OneHotLayout {
  static constexpr int kIndices = 0, kDepth = 1, kOn = 2, kOff = 3;  // inputs

  int64 prefix = 1, depth = 0, suffix = 1;
};

// Computes the layout from the inputs and the attr `axis`. *shape is the shape of the output.
Status FindOneHot(OpKernelContext* context, int64 axis, OneHotLayout* layout, TensorShape* shape);

// kWrite fills the output. It is called only if the output has elements.
template <Status (*kWrite)(OpKernelContext*, const OneHotLayout&, Tensor*)>
class OneHotOp : public OpKernel {
 public:
  explicit OneHotOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("axis", &axis_));
  }

  void Compute(OpKernelContext* context) override {
    OneHotLayout layout;
    TensorShape shape;
    OP_REQUIRES_OK(context, FindOneHot(context, axis_, &layout, &shape));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    if (output->NumElements() > 0) OP_REQUIRES_OK(context, kWrite(context, layout, output));
  }

 private:
  int64 axis_ = -1;
};

}  // namespace array_ops
