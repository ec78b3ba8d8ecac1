// plugins/list_ops/split_op.cc: Split, a tensor as a list of equal parts of its own rank.
// SPDX-License-Identifier: Apache-2.0

#include "opsrun/check_shapes.h"
#include "opsrun/elements.h"
#include "opsrun/op.h"
#include "rows.h"

namespace list_ops {
namespace {

using namespace opsrun;
using namespace shape_inference;

constexpr int kSplitDim = 0, kValue = 1;

Status NotEvenly(int64 num_split, int64 axis, const std::string& shape) {
  return errors::InvalidArgument("num_split is ", num_split, ", but must divide dimension ", axis,
                                 " of value, whose shape is ", shape)
      .Blame("attr:num_split");
}

Status ResolveSplitDim(int64 split_dim, int64 rank, int64* axis) {
  return ResolveAxis(split_dim, rank, "value", "input:split_dim", axis);
}

// If the axis is known but the rank is not, the shape function can only check that there are enough dimensions.
Status PartAlong(InferenceContext* c, ShapeHandle value, int64 split_dim, int64* axis, ShapeHandle* part) {
  if (!c->RankKnown(value)) {
    *part = c->UnknownShape();
    return Status::OK();
  }
  DimensionHandle size;
  TF_RETURN_IF_ERROR(ResolveSplitDim(split_dim, c->Rank(value), axis));
  if (!c->Divide(c->Dim(value, *axis), c->num_outputs(), true, &size).ok()) {
    return NotEvenly(c->num_outputs(), *axis, c->DebugString(value));
  }
  return c->ReplaceDim(value, *axis, size, part);
}

Status SplitShape(InferenceContext* c) {
  ShapeHandle part;
  TF_RETURN_IF_ERROR(CheckScalar(c, kSplitDim, "split_dim"));
  const ShapeHandle value = c->input(kValue);
  const Tensor* split_dim = c->input_tensor(kSplitDim);
  int64 axis = -1;
  if (split_dim == nullptr && c->RankKnown(value) && c->Rank(value) == 0) {
    return errors::InvalidArgument("value must have one dimension or more, but is a scalar").Blame("input:value");
  }
  if (split_dim == nullptr) {
    part = c->RankKnown(value) ? c->UnknownShapeOfRank(c->Rank(value)) : c->UnknownShape();
  } else {
    TF_RETURN_IF_ERROR(PartAlong(c, value, split_dim->scalar<int32>()(), &axis, &part));
  }
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, part);
  if (axis >= 0) shape_inference::CutElements(c, kValue, axis);
  return Status::OK();
}

REGISTER_OP("Split")
    .Input("split_dim: int32")
    .Input("value: T")
    .Output("output: num_split * T")
    .Attr("num_split: int >= 1")
    .Attr("T: type")
    .SetShapeFn(SplitShape)
    .Gradient(R"yaml(
nodes:
  dvalue: {op: Concat, in: {concat_dim: split_dim, values: grad.output}}
outputs: {split_dim: null, value: dvalue}
)yaml")
    .Doc(R"doc(
Cuts a tensor into a list of equal parts along one dimension.

split_dim: A scalar, the dimension that is cut. A negative one counts from the end: -1 is the last.
value: A tensor of numbers or bools, of one dimension or more.
output: The parts, in order, with as many dimensions as the value has.
num_split: How many parts to make. It must divide the size of the dimension.
)doc");

#define REGISTER_SPLIT(T)                                                                                  \
  REGISTER_KERNEL_BUILDER(Name("Split").Device(DEVICE_CPU).TypeConstraint<T>("T").HostMemory("split_dim"), \
                          SplitOp<CpuMoves>);
LIST_OPS_CALL_FIXED_SIZE_TYPES(REGISTER_SPLIT)
REGISTER_KERNEL_BUILDER(Name("Split").Device(DEVICE_CPU).TypeConstraint<tstring>("T"), SplitOp<StringMoves>);
#undef REGISTER_SPLIT

}  // namespace

Status FindSplit(OpKernelContext* context, int64* axis, TensorShape* part) {
  const Tensor& split_dim = context->input(kSplitDim);
  const int64 num_split = context->num_outputs();
  *part = context->input(kValue).shape();
  TF_RETURN_IF_ERROR(CheckScalar(split_dim.shape(), "split_dim"));
  TF_RETURN_IF_ERROR(ResolveSplitDim(split_dim.scalar<int32>()(), part->dims(), axis));
  const int64 size = part->dim_size(static_cast<int>(*axis));
  if (size % num_split != 0) return NotEvenly(num_split, *axis, part->DebugString());
  part->set_dim(static_cast<int>(*axis), size / num_split);
  return Status::OK();
}

}  // namespace list_ops
