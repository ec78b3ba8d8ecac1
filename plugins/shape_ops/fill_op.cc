// plugins/shape_ops/fill_op.cc: Fill, one value in a given shape.
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "moving_ops.h"
#include "opsrun/elements.h"
#include "opsrun/op.h"
#include "opsrun/shape_inference.h"
#include "sizes.h"

namespace shape_ops {
namespace {

using namespace opsrun;
using shape_inference::InferenceContext;
using shape_inference::KnownElement;
using shape_inference::ShapeHandle;

Status CheckSize(int64 size) {
  if (size >= 0) return Status::OK();
  return errors::InvalidArgument("a size is 0 or more, but here is ", size).Blame("input:dims");
}

// [shape_fn]
Status FillShape(InferenceContext* c) {
  ShapeHandle scalar, dims;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &scalar));
  // To MakeShapeFromShapeTensor, -1 is an unknown size; here it is a wrong one.
  if (const auto sizes = c->input_elements(0)) {
    for (const KnownElement& size : *sizes) TF_RETURN_IF_ERROR(size.known() ? CheckSize(size.value()) : Status::OK());
  }
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &dims));
  c->set_output(0, dims);
  shape_inference::BroadcastElements(c, 1);
  return Status::OK();
}
// [/shape_fn]

template <typename T>
Status RepeatOnCpu(OpKernelContext*, const Tensor& value, Tensor* output) {
  const T element = value.scalar<T>()();
  auto elements = output->flat<T>();
  for (int64 i = 0; i < output->NumElements(); ++i) elements(i) = element;
  return Status::OK();
}

REGISTER_OP("Fill")
    .Input("dims: index_type")
    .Input("value: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("index_type: {int32, int64} = DT_INT32")
    .SetShapeFn(FillShape)
    .Gradient(R"yaml(
nodes:
  scalar: {op: Shape, in: value}
  dvalue: {op: SumToShape, in: [grad.output, scalar]}
outputs: {dims: null, value: dvalue}
)yaml")
    .Doc(R"doc(
A tensor that holds one value everywhere.

dims: The sizes of the output.
value: A scalar.
output: The value, in that shape.
)doc");

#define REGISTER_FILL(T) \
  REGISTER_KERNEL_BUILDER(Name("Fill").Device(DEVICE_CPU).TypeConstraint<T>("T"), FillOp<RepeatOnCpu<T>>);
SHAPE_OPS_CALL_VALUE_TYPES(REGISTER_FILL)
#undef REGISTER_FILL

}  // namespace

Status FindFilled(OpKernelContext* context, TensorShape* shape) {
  const int rank = context->input(1).dims();
  if (rank != 0) {
    return errors::InvalidArgument("value must be a scalar, but is a tensor of rank ", rank).Blame("input:value");
  }
  std::vector<int64> sizes;
  TF_RETURN_IF_ERROR(ReadSizes(context->input(0), "input:dims", &sizes));
  for (const int64 size : sizes) TF_RETURN_IF_ERROR(CheckSize(size));
  return TensorShapeUtils::MakeShape(sizes, shape).Blame("input:dims");
}

}  // namespace shape_ops
