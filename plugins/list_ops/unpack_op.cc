// plugins/list_ops/unpack_op.cc: Unpack, a tensor as a list of tensors of a rank less.
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "axis.h"
#include "cpu_moves.h"
#include "cut_ops.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun/elements.h"
#include "opsrun/op.h"
#include "register_kernel.h"

namespace list_ops {
namespace {

using namespace opsrun;
using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

constexpr char kValue[] = "value";

Status NotThatMany(int64 num, int64 axis, const std::string& shape) {
  return errors::InvalidArgument("num is ", num, ", but must be the size of dimension ", axis,
                                 " of value, whose shape is ", shape)
      .Blame("attr:num");
}

// The shape of one part; the value's dimension along the axis has as many elements as there are parts.
Status PartOf(InferenceContext* c, ShapeHandle value, int64 axis, ShapeHandle* part) {
  DimensionHandle size;
  ShapeHandle after;
  if (!c->WithValue(c->Dim(value, axis), c->num_outputs(), &size).ok()) {
    return NotThatMany(c->num_outputs(), axis, c->DebugString(value));
  }
  TF_RETURN_IF_ERROR(c->Subshape(value, axis + 1, &after));
  TF_RETURN_IF_ERROR(c->Subshape(value, 0, axis, part));
  return c->Concatenate(*part, after, part);
}

Status UnpackShape(InferenceContext* c) {
  const ShapeHandle value = c->input(0);
  if (!c->RankKnown(value)) return shape_inference::UnknownShape(c);
  int64 axis;
  ShapeHandle part;
  TF_RETURN_IF_ERROR(c->GetAttr("axis", &axis));
  TF_RETURN_IF_ERROR(ResolveAxis(axis, c->Rank(value), kValue, "attr:axis", &axis));
  TF_RETURN_IF_ERROR(PartOf(c, value, axis, &part));
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, part);
  shape_inference::CutElements(c, 0, axis);
  return Status::OK();
}

// [op]
REGISTER_OP("Unpack")
    .Input("value: T")
    .Output("output: num * T")
    .Attr("num: int >= 0")
    .Attr("T: type")
    .Attr("axis: int = 0")
    .SetShapeFn(UnpackShape)
    .Gradient(R"yaml(
nodes:
  dvalue: {op: Pack, in: {values: grad.output}, attrs: {axis: {attr: axis}}}
outputs: {value: dvalue}
)yaml")
    .Doc(R"doc(
Takes a tensor apart into a list of tensors with one dimension less.

output[i] is what the value holds at index i along the axis. Pack is the way back.

value: A tensor of numbers or bools, of one dimension or more.
output: The parts, in order.
num: How many parts there are: the size of the value's dimension along the axis.
axis: Which dimension goes away. A negative one counts from the end: -1 is the last.
)doc");
// [/op]

#define REGISTER_UNPACK(T) \
  REGISTER_KERNEL_BUILDER(Name("Unpack").Device(DEVICE_CPU).TypeConstraint<T>("T"), UnpackOp<CpuMoves>);
LIST_OPS_CALL_FIXED_SIZE_TYPES(REGISTER_UNPACK)
REGISTER_KERNEL_BUILDER(Name("Unpack").Device(DEVICE_CPU).TypeConstraint<tstring>("T"), UnpackOp<StringMoves>);
#undef REGISTER_UNPACK

}  // namespace

Status FindUnpacked(OpKernelContext* context, int64* axis, TensorShape* part) {
  *part = context->input(0).shape();
  TF_RETURN_IF_ERROR(ResolveAxis(*axis, part->dims(), kValue, "attr:axis", axis));
  if (part->dim_size(static_cast<int>(*axis)) != context->num_outputs()) {
    return NotThatMany(context->num_outputs(), *axis, part->DebugString());
  }
  part->RemoveDim(static_cast<int>(*axis));
  return Status::OK();
}

}  // namespace list_ops
