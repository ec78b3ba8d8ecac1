// plugins/array_ops/size_ops.cc: Size and Rank, what is known of a tensor without its elements.
// SPDX-License-Identifier: Apache-2.0
#include "size_ops.h"

#include "opsrun/op.h"
#include "opsrun/shape_inference.h"

namespace array_ops {
namespace {

using namespace opsrun;
using shape_inference::InferenceContext;

Status SizeShape(InferenceContext* c) {
  c->set_output(0, c->Scalar());
  if (c->RankKnown(c->input(0))) c->set_output_elements(0, {c->NumElements(c->input(0))});
  return Status::OK();
}

Status RankShape(InferenceContext* c) {
  c->set_output(0, c->Scalar());
  if (c->RankKnown(c->input(0))) c->set_output_elements(0, {int64_t{c->Rank(c->input(0))}});
  return Status::OK();
}

REGISTER_OP("Size")
    .Input("input: T")
    .Output("output: out_type")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = DT_INT32")
    .SetShapeFn(SizeShape)
    .NotDifferentiable()
    .Doc(R"doc(
Counts the elements of a tensor.

input: Any tensor.
output: A scalar: how many elements the tensor has.
)doc");

REGISTER_OP("Rank")
    .Input("input: T")
    .Output("output: int32")
    .Attr("T: type")
    .SetShapeFn(RankShape)
    .NotDifferentiable()
    .Doc(R"doc(
Counts the dimensions of a tensor.

input: Any tensor.
output: A scalar: how many dimensions the tensor has; 0 for a scalar.
)doc");

REGISTER_KERNEL_BUILDER(Name("Size").Device(DEVICE_CPU).TypeConstraint<int32>("out_type"), SizeOp<int32>);
REGISTER_KERNEL_BUILDER(Name("Size").Device(DEVICE_CPU).TypeConstraint<int64>("out_type"), SizeOp<int64>);
REGISTER_KERNEL_BUILDER(Name("Rank").Device(DEVICE_CPU), RankOp);

}  // namespace
}  // namespace array_ops
