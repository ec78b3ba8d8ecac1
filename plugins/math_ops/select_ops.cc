// plugins/math_ops/select_ops.cc: Select and SelectV2, which choose between two tensors for each element.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "select.h"

namespace math_ops {
namespace {

using namespace opsrun;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// Select has TensorFlow's old rules: a condition of rank 1 belongs to the first dimension.
Status SelectShape(InferenceContext* c) {
  const ShapeHandle condition = c->input(0);
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(c->Merge(c->input(1), c->input(2), &shape));
  if (c->RankKnown(condition) && c->Rank(condition) == 1) {
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(shape, 1, &shape));
    ShapeHandle prefix;
    TF_RETURN_IF_ERROR(c->MergePrefix(shape, condition, &shape, &prefix));
  } else if (c->RankKnown(condition) && c->Rank(condition) > 1) {
    TF_RETURN_IF_ERROR(c->Merge(shape, condition, &shape));
  }
  c->set_output(0, shape);
  return Status::OK();
}

Status SelectV2Shape(InferenceContext* c) {
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(shape_inference::BroadcastBinaryOpOutputShapeFnHelper(c, c->input(1), c->input(2), &shape));
  TF_RETURN_IF_ERROR(shape_inference::BroadcastBinaryOpOutputShapeFnHelper(c, c->input(0), shape, &shape));
  c->set_output(0, shape);
  return Status::OK();
}

#define REGISTER_SELECT_OP(name) \
  REGISTER_OP(name)              \
      .Input("condition: bool")  \
      .Input("t: T")             \
      .Input("e: T")             \
      .Output("output: T")       \
      .Attr("T: {" MATH_OPS_NUMBERS ", bool, " MATH_OPS_QUANTIZED ", string}")

REGISTER_SELECT_OP("Select")
    .SetShapeFn(SelectShape)
    .Gradient(R"yaml(
nodes:
  zeros: {op: ZerosLike, in: t}
  dt: {op: Select, in: [condition, grad.output, zeros]}
  de: {op: Select, in: [condition, zeros, grad.output]}
outputs: {condition: null, t: dt, e: de}
)yaml")
    .Doc(R"doc(
Takes each element from t where the condition is true, and from e where it is false.

The condition may also be a scalar, for all elements, or a vector, for the rows of t and e along their first dimension.
SelectV2 broadcasts as other ops do.

condition: What to take.
t: Any shape.
e: The same shape.
output: The chosen elements.
)doc");

REGISTER_SELECT_OP("SelectV2")
    .SetShapeFn(SelectV2Shape)
    .Gradient(R"yaml(
feeds:
  zero: {value: 0, dtype: {attr: T}}
nodes:
  t_shape: {op: Shape, in: t}
  e_shape: {op: Shape, in: e}
  gt: {op: SelectV2, in: [condition, grad.output, zero]}
  ge: {op: SelectV2, in: [condition, zero, grad.output]}
  dt: {op: SumToShape, in: [gt, t_shape]}
  de: {op: SumToShape, in: [ge, e_shape]}
outputs: {condition: null, t: dt, e: de}
)yaml")
    .Doc(R"doc(
Takes each element from t where the condition is true, and from e where it is false, with broadcasting.

condition: What to take, of any shape.
t: A shape that can be broadcast with the condition's.
e: A shape that can be broadcast with both.
output: The chosen elements.
)doc");

typedef SelectOp<SelectConditionShape, ChooseOnCpu> OldSelectOp;
typedef SelectOp<SelectV2ConditionShape, ChooseOnCpu> SelectV2Op;
typedef Join<Join<Numbers, TypeList<bool>>, Quantized> FixedTypes;
REGISTER_KERNEL_BUILDER(Name("Select").Device(DEVICE_CPU).TypeConstraint("T", TypesOf<FixedTypes>::kAll), OldSelectOp)
REGISTER_KERNEL_BUILDER(Name("SelectV2").Device(DEVICE_CPU).TypeConstraint("T", TypesOf<FixedTypes>::kAll), SelectV2Op)

}  // namespace
}  // namespace math_ops
