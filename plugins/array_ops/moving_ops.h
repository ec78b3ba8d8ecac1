// plugins/array_ops/moving_ops.h: Identity, StopGradient, ZerosLike, OnesLike, Size, Rank and Concat on any device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "indices.h"
#include "opsrun/register_types.h"
#include "view.h"

// m(type) for each type that has a 1.
#define ONES_LIKE_CALL_TYPES(m)                                                                            \
  TF_CALL_POD_TYPES(m)                                                                                     \
  TF_CALL_float8_e5m2(m) TF_CALL_float8_e4m3fn(m) TF_CALL_float8_e4m3fnuz(m) TF_CALL_float8_e4m3b11fnuz(m) \
      TF_CALL_float8_e5m2fnuz(m)

namespace array_ops {

using namespace opsrun;

// Identity and StopGradient.
class IdentityOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    Tensor* output = nullptr;
    if (!context->forward_input_to_output_with_shape(0, 0, input.shape(), &output)) context->set_output(0, input);
  }
};

// The bytes of the number 1 of a type.
Bytes16 OneOf(DataType type);

// OnesLike and ZerosLike.
template <typename Moves, bool kOnes>
Status FillLike(OpKernelContext* context) {
  Tensor* output = nullptr;
  TF_RETURN_IF_ERROR(context->forward_input_or_allocate_output({0}, 0, context->input(0).shape(), &output));
  return kOnes ? Moves::FillWithBytes(context, OneOf(output->dtype()), output) : Moves::FillWithZeros(context, output);
}

// They do not read elements.
template <typename Int>
Status GiveSize(OpKernelContext* context) {
  const int64 n = context->input(0).NumElements();
  if (n > std::numeric_limits<Int>::max()) {
    return errors::InvalidArgument("input has ", n, " elements, more than int32 can hold; set out_type: int64")
        .Blame("attr:out_type");
  }
  Tensor* output = nullptr;
  TF_RETURN_IF_ERROR(context->allocate_output(0, TensorShape(), &output));
  output->scalar<Int>()() = static_cast<Int>(n);
  return Status::OK();
}

inline Status GiveRank(OpKernelContext* context) {
  Tensor* output = nullptr;
  TF_RETURN_IF_ERROR(context->allocate_output(0, TensorShape(), &output));
  output->scalar<int32>()() = context->input(0).dims();
  return Status::OK();
}

// The shape of the concatenation. INVALID_ARGUMENT: the shapes do not match.
Status JoinedShape(const OpInputList& values, int64 axis, TensorShape* joined);

// On the CPU: joins row after row, so that the output is written in order. Returns false if each value is better copied
// as a whole: if rows, which are all elements at one index outside of the axis, are long or mostly of single elements.
bool JoinRows(OpKernelContext* context, const OpInputList& values, int axis, Tensor* output);

template <typename Moves>
class ConcatOp : public OpKernel {
 public:
  // Only ConcatV2 has the attr Tidx.
  explicit ConcatOp(OpKernelConstruction* context)
      : OpKernel(context), axis_name_(context->HasAttr("Tidx") ? "axis" : "concat_dim") {}

  void Compute(OpKernelContext* context) override {
    const Tensor* axis_input = nullptr;
    OpInputList values;
    int64 axis;
    TensorShape joined;
    OP_REQUIRES_OK(context, context->input(axis_name_, &axis_input));
    OP_REQUIRES_OK(context, context->input_list("values", &values));
    OP_REQUIRES_OK(context, ReadScalar(*axis_input, axis_name_, &axis));
    OP_REQUIRES_OK(context, ResolveAxis(axis, values[0].dims(), axis_name_, "values.0", &axis));
    OP_REQUIRES_OK(context, JoinedShape(values, axis, &joined));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, joined, &output));
    if (output->NumElements() > 0) OP_REQUIRES_OK(context, Join(context, values, static_cast<int>(axis), output));
  }

 private:
  // Each value is a view of the output.
  static Status Join(OpKernelContext* context, const OpInputList& values, int axis, Tensor* output) {
    if constexpr (std::is_same_v<Moves, CpuMoves>) {
      if (JoinRows(context, values, axis, output)) return Status::OK();
    }
    View part = WholeView(output->shape());
    for (int i = 0; i < values.size(); ++i) {
      ViewDim& along = part.dims[static_cast<size_t>(axis)];
      along.size = values[i].dim_size(axis);
      TF_RETURN_IF_ERROR(Moves::CopyToView(context, part, values[i], output));
      part.offset += along.size * along.stride;
    }
    return Status::OK();
  }

  const char* axis_name_;
};

}  // namespace array_ops
