// plugins/math_ops/arg_kernel.cc: see arg_kernel.h.
// SPDX-License-Identifier: Apache-2.0
#include "arg_kernel.h"

#include "axes.h"

namespace math_ops {

using namespace opsrun;

namespace {

// The largest index that an integer type can hold.
int64 LargestIndex(DataType type) {
  return type == DT_INT16 ? kint16max : type == DT_UINT16 ? kuint16max : type == DT_INT32 ? kint32max : kint64max;
}

}  // namespace

Status ArgKernel::CheckSize(int64 size) const {
  if (size == 0) {
    return errors::InvalidArgument("the dimension has no elements, so none of them is the ",
                                   type_string() == "ArgMax" ? "largest" : "smallest")
        .Blame("input:input");
  }
  if (size - 1 <= LargestIndex(output_type(0))) return Status::OK();
  return errors::InvalidArgument("the dimension has ", size, " elements, more than ", DataTypeName(output_type(0)),
                                 " can count; set output_type: int64")
      .Blame("attr:output_type");
}

void ArgKernel::Compute(OpKernelContext* context) {
  const Tensor& input = context->input(0);
  int axis = 0;
  OP_REQUIRES_OK(context, ReadAxis(context->input(1), "dimension", input.dims(), &axis));
  OP_REQUIRES_OK(context, CheckSize(input.dim_size(axis)));
  TensorShape shape = input.shape();
  shape.RemoveDim(axis);
  Tensor* output = nullptr;
  OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
  if (shape.num_elements() > 0) OP_REQUIRES_OK(context, Search(context, input, axis, output));
}

}  // namespace math_ops
