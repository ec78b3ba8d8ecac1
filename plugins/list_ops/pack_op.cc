// plugins/list_ops/pack_op.cc: Pack, tensors of one shape as one tensor of a rank more.
// SPDX-License-Identifier: Apache-2.0
#include "axis.h"
#include "cpu_moves.h"
#include "cut_ops.h"
#include "one_shape.h"
#include "opsrun/elements.h"
#include "opsrun/op.h"
#include "register_kernel.h"

namespace list_ops {
namespace {

using namespace opsrun;
using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

constexpr char kPacked[] = "the output";

Status PackShape(InferenceContext* c) {
  ShapeHandle part, before, after, packed;
  TF_RETURN_IF_ERROR(MergeAll(c, "values", &part));
  if (!c->RankKnown(part)) {
    c->set_output(0, c->UnknownShape());
    return Status::OK();
  }
  int64 axis;
  TF_RETURN_IF_ERROR(c->GetAttr("axis", &axis));
  TF_RETURN_IF_ERROR(ResolveAxis(axis, c->Rank(part) + 1, kPacked, "attr:axis", &axis));
  TF_RETURN_IF_ERROR(c->Subshape(part, 0, axis, &before));
  TF_RETURN_IF_ERROR(c->Subshape(part, axis, &after));
  TF_RETURN_IF_ERROR(c->Concatenate(before, c->Vector(c->num_inputs()), &packed));
  TF_RETURN_IF_ERROR(c->Concatenate(packed, after, &packed));
  c->set_output(0, packed);
  shape_inference::JoinElements(c, 0, c->num_inputs(), axis);
  return Status::OK();
}

// [op]
REGISTER_OP("Pack")
    .Input("values: N * T")
    .Output("output: T")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Attr("axis: int = 0")
    .SetShapeFn(PackShape)
    .Gradient(R"yaml(
nodes:
  dvalues: {op: Unpack, in: grad.output, attrs: {num: {attr: N}, axis: {attr: axis}}}
outputs: {values: dvalues}
)yaml")
    .Doc(R"doc(
Packs a list of tensors of one shape into one tensor with one dimension more.

The new dimension has size N: values[i] is what the output holds at index i along it. Unpack is the way back.

values: Tensors, all of the same shape.
output: The packed tensor.
axis: Where the new dimension stands in the output's shape. A negative one counts from the end: -1 makes it the last.
)doc");
// [/op]

#define REGISTER_PACK(T) \
  REGISTER_KERNEL_BUILDER(Name("Pack").Device(DEVICE_CPU).TypeConstraint<T>("T"), PackOp<CpuMoves>);
LIST_OPS_CALL_FIXED_SIZE_TYPES(REGISTER_PACK)
REGISTER_KERNEL_BUILDER(Name("Pack").Device(DEVICE_CPU).TypeConstraint<tstring>("T"), PackOp<StringMoves>);
#undef REGISTER_PACK

}  // namespace

Status FindPacked(OpKernelContext* context, int64* axis, TensorShape* shape) {
  TF_RETURN_IF_ERROR(CheckOneShape(context, "values"));
  *shape = context->input(0).shape();
  TF_RETURN_IF_ERROR(ResolveAxis(*axis, shape->dims() + 1, kPacked, "attr:axis", axis));
  shape->InsertDim(static_cast<int>(*axis), context->num_inputs());
  return Status::OK();
}

}  // namespace list_ops
