// plugins/list_ops/pack_ops.cc: Pack, Unpack and Split.
// SPDX-License-Identifier: Apache-2.0
#include "list_ops.h"
#include "opsrun/check_shapes.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"

namespace list_ops {
namespace {

using namespace shape_inference;

// Moves rows on the host's threads; strings on the caller's alone.
struct CpuMoves {
  template <bool kJoin>
  static Status Run(OpKernelContext* context, const Rows& rows, WholePointer<kJoin> whole,
                    const std::vector<PartPointer<kJoin>>& parts) {
    const auto move = [&](int64_t begin, int64_t end) { MoveRange<kJoin>(rows, whole, parts.data(), begin, end); };
    rows.strings ? move(0, rows.bytes()) : ForBytes(context, rows.bytes(), move);
    return Status::OK();
  }
};

// *resolved is in [0, rank). `what` names the tensor of that rank; errors blame `subject`, such as "attr:axis".
Status ResolveAxis(int64 axis, int64 rank, const std::string& what, const char* subject, int64* resolved) {
  const std::string name = std::string(subject).substr(std::string(subject).find(':') + 1);
  if (rank == 0) return errors::InvalidArgument(name, " is ", axis, ", but ", what, " is a scalar").Blame(subject);
  if (axis < -rank || axis >= rank) {
    return errors::InvalidArgument(name, " is ", axis, ", but must be between ", -rank, " and ", rank - 1, ", since ",
                                   what, " has rank ", rank)
        .Blame(subject);
  }
  *resolved = axis < 0 ? axis + rank : axis;
  return Status::OK();
}

constexpr char kPacked[] = "the output";

Status PackShape(InferenceContext* c) {
  ShapeHandle part, before, after, packed;
  TF_RETURN_IF_ERROR(MergeAll(c, "values", &part));
  if (!c->RankKnown(part)) return shape_inference::UnknownShape(c);
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
Packs a list of tensors of the same shape into one tensor with an additional dimension.

The new dimension has size N: values[i] is what the output holds at index i along it. Unpack is the inverse.

values: Tensors, all of the same shape.
output: The packed tensor.
axis: The place of the new dimension in the output's shape. A negative one counts from the end: -1 makes it the last.
)doc");

constexpr char kValue[] = "value";

Status NotThatMany(int64 num, int64 axis, const std::string& shape) {
  return errors::InvalidArgument("num is ", num, ", but must be the size of dimension ", axis,
                                 " of value, whose shape is ", shape)
      .Blame("attr:num");
}

// The shape of one part; the size of the value along the axis must be the number of parts.
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

// [unpack]
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
Splits a tensor along one dimension into a list of tensors without that dimension.

output[i] is what the value holds at index i along the axis. Pack is the inverse.

value: A tensor of numbers or bools, of one dimension or more.
output: The parts, in order.
num: The number of parts: the size of the value's dimension along the axis.
axis: The dimension to remove. A negative one counts from the end: -1 is the last.
)doc");
// [/unpack]

constexpr int kSplitDim = 0, kWhole = 1;

Status NotEvenly(int64 num_split, int64 axis, const std::string& shape) {
  return errors::InvalidArgument("num_split is ", num_split, ", but must divide dimension ", axis,
                                 " of value, whose shape is ", shape)
      .Blame("attr:num_split");
}

Status ResolveSplitDim(int64 split_dim, int64 rank, int64* axis) {
  return ResolveAxis(split_dim, rank, "value", "input:split_dim", axis);
}

Status PartAlong(InferenceContext* c, ShapeHandle value, int64 split_dim, int64* axis, ShapeHandle* part) {
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
  const ShapeHandle value = c->input(kWhole);
  const Tensor* split_dim = c->input_tensor(kSplitDim);
  int64 axis = -1;
  if (split_dim == nullptr && c->RankKnown(value) && c->Rank(value) == 0) {
    return errors::InvalidArgument("value must have one dimension or more, but is a scalar").Blame("input:value");
  }
  if (split_dim == nullptr || !c->RankKnown(value)) {
    part = c->UnknownShapeOfRank(c->Rank(value));
  } else {
    TF_RETURN_IF_ERROR(PartAlong(c, value, split_dim->scalar<int32>()(), &axis, &part));
  }
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, part);
  if (axis >= 0) shape_inference::CutElements(c, kWhole, axis);
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
Splits a tensor into a list of equal parts along one dimension.

split_dim: A scalar, the dimension to split. A negative one counts from the end: -1 is the last.
value: A tensor of numbers or bools, of one dimension or more.
output: The parts, in order, with as many dimensions as the value has.
num_split: The number of parts. It must divide the size of the dimension.
)doc");

#define CPU_KERNEL(name, T) Name(name).Device(DEVICE_CPU).TypeConstraint<T>("T")
#define REGISTER_MOVES(T)                                                         \
  REGISTER_KERNEL_BUILDER(CPU_KERNEL("Pack", T), PackOp<CpuMoves>)                \
  REGISTER_KERNEL_BUILDER(CPU_KERNEL("Unpack", T), CutOp<CpuMoves, FindUnpacked>) \
  REGISTER_KERNEL_BUILDER(CPU_KERNEL("Split", T).HostMemory("split_dim"), CutOp<CpuMoves, FindSplit>)
LIST_OPS_CALL_FIXED_SIZE_TYPES(REGISTER_MOVES)
TF_CALL_tstring(REGISTER_MOVES)

}  // namespace

Rows RowsAlong(const TensorShape& whole, int64 axis, int64 parts, DataType type) {
  const bool strings = type == DT_STRING;
  Rows rows = {1, parts, strings ? int64_t{sizeof(tstring)} : DataTypeSize(type), strings};
  for (int i = 0; i < axis; ++i) rows.rows *= whole.dim_size(i);
  for (int i = static_cast<int>(axis); i < whole.dims(); ++i) rows.row_bytes *= whole.dim_size(i);
  rows.row_bytes /= parts;
  return rows;
}

Status FindPacked(OpKernelContext* context, int64* axis, TensorShape* shape) {
  TF_RETURN_IF_ERROR(CheckOneShape(context, "values"));
  *shape = context->input(0).shape();
  TF_RETURN_IF_ERROR(ResolveAxis(*axis, shape->dims() + 1, kPacked, "attr:axis", axis));
  shape->InsertDim(static_cast<int>(*axis), context->num_inputs());
  return Status::OK();
}

// Unpack: the outputs have one dimension less than the input.

Status FindUnpacked(OpKernelContext* context, int64* axis, TensorShape* part) {
  *part = context->input(0).shape();
  TF_RETURN_IF_ERROR(ResolveAxis(*axis, part->dims(), kValue, "attr:axis", axis));
  if (part->dim_size(static_cast<int>(*axis)) != context->num_outputs()) {
    return NotThatMany(context->num_outputs(), *axis, part->DebugString());
  }
  part->RemoveDim(static_cast<int>(*axis));
  return Status::OK();
}

Status FindSplit(OpKernelContext* context, int64* axis, TensorShape* part) {
  const Tensor& split_dim = context->input(kSplitDim);
  const int64 num_split = context->num_outputs();
  *part = context->input(kWhole).shape();
  TF_RETURN_IF_ERROR(CheckScalar(split_dim.shape(), "split_dim"));
  TF_RETURN_IF_ERROR(ResolveSplitDim(split_dim.scalar<int32>()(), part->dims(), axis));
  const int64 size = part->dim_size(static_cast<int>(*axis));
  if (size % num_split != 0) return NotEvenly(num_split, *axis, part->DebugString());
  part->set_dim(static_cast<int>(*axis), size / num_split);
  return Status::OK();
}

}  // namespace list_ops
