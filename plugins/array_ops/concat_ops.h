// plugins/array_ops/concat_ops.h: the kernels of Concat and ConcatV2, for any device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "indices.h"
#include "view.h"

namespace array_ops {

// The shape of the concatenation. INVALID_ARGUMENT: the shapes do not match.
opsrun::Status JoinedShape(const opsrun::OpInputList& values, int64 axis, opsrun::TensorShape* joined);

template <typename Moves>
class ConcatOp : public opsrun::OpKernel {
 public:
  ConcatOp(opsrun::OpKernelConstruction* context, const char* axis_name) : OpKernel(context), axis_name_(axis_name) {}

  void Compute(opsrun::OpKernelContext* context) override {
    const opsrun::Tensor* axis_input = nullptr;
    opsrun::OpInputList values;
    int64 axis;
    opsrun::TensorShape joined;
    OP_REQUIRES_OK(context, context->input(axis_name_, &axis_input));
    OP_REQUIRES_OK(context, context->input_list("values", &values));
    OP_REQUIRES_OK(context, ReadScalar(*axis_input, axis_name_, &axis));
    OP_REQUIRES_OK(context, ResolveAxis(axis, values[0].dims(), axis_name_, "values.0", &axis));
    OP_REQUIRES_OK(context, JoinedShape(values, axis, &joined));
    opsrun::Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, joined, &output));
    if (output->NumElements() > 0) OP_REQUIRES_OK(context, Join(context, values, static_cast<int>(axis), output));
  }

 private:
  // Each value is a view of the output.
  static opsrun::Status Join(opsrun::OpKernelContext* context, const opsrun::OpInputList& values, int axis,
                             opsrun::Tensor* output) {
    View part = WholeView(output->shape());
    for (int i = 0; i < values.size(); ++i) {
      ViewDim& along = part.dims[static_cast<size_t>(axis)];
      along.size = values[i].dim_size(axis);
      TF_RETURN_IF_ERROR(Moves::CopyToView(context, part, values[i], output));
      part.offset += along.size * along.stride;
    }
    return opsrun::Status::OK();
  }

  const char* axis_name_;
};

template <typename Moves>
class ConcatV1Op : public ConcatOp<Moves> {
 public:
  explicit ConcatV1Op(opsrun::OpKernelConstruction* context) : ConcatOp<Moves>(context, "concat_dim") {}
};
template <typename Moves>
class ConcatV2Op : public ConcatOp<Moves> {
 public:
  explicit ConcatV2Op(opsrun::OpKernelConstruction* context) : ConcatOp<Moves>(context, "axis") {}
};

}  // namespace array_ops
