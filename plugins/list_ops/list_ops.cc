// plugins/list_ops/list_ops.cc: AddN, IdentityN, Pack and Unpack.
// SPDX-License-Identifier: Apache-2.0
#include "list_ops.h"

#include "opsrun/check_shapes.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun/elements.h"
#include "opsrun/op.h"
#include "opsrun/plugin.h"
#include "rows.h"

OPSRUN_PLUGIN("list_ops", "0.1.0");

namespace list_ops {
namespace {

using namespace opsrun;
using namespace shape_inference;

Status AddNShape(InferenceContext* c) {
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(MergeAll(c, "inputs", &shape));
  c->set_output(0, shape);
  return Status::OK();
}

struct AddOnCpu {
  template <typename T>
  static Status Run(OpKernelContext* context, const std::vector<const T*>& terms, T* out, int64 n) {
    constexpr int64 kSize = sizeof(T);
    ForBytes(context, n * kSize, [&](int64 begin, int64 end) { AddTerms(terms, out, begin / kSize, end / kSize); });
    return Status::OK();
  }
};

REGISTER_OP("AddN")
    .Input("inputs: N * T")
    .Output("sum: T")
    .Attr("N: int >= 1")
    .Attr("T: numbertype")
    .SetIsCommutative()
    .SetIsAggregate()
    .SetShapeFn(AddNShape)
    .Gradient(R"yaml(
nodes:
  dinputs: {op: Identity, each: inputs, in: grad.sum}
outputs: {inputs: dinputs}
)yaml")
    .Doc(R"doc(
Adds tensors element by element.

Integers that grow too large wrap. float16 and bfloat16 are added as float32 and rounded once.

inputs: Tensors of numbers, all of the same shape.
sum: Their sum, in order from the first to the last.
)doc");

// [registration]
#define REGISTER_ADD_N(T) \
  REGISTER_KERNEL_BUILDER(Name("AddN").Device(DEVICE_CPU).TypeConstraint<T>("T"), AddNOp<T, AddOnCpu>);
TF_CALL_NUMBER_TYPES(REGISTER_ADD_N)
#undef REGISTER_ADD_N
// [/registration]

// IdentityN.

// [list]
REGISTER_OP("IdentityN")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: list(type)")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      for (int i = 0; i < c->num_inputs(); ++i) {
        c->set_output(i, c->input(i));
        shape_inference::PassElements(c, i, i);
      }
      return Status::OK();
    })
    .Gradient(R"yaml(
outputs: {input: grad.output}
)yaml")
    .Doc(R"doc(
Gives its inputs as its outputs.

It makes several tensors one node: with `after`, a place that all of them have passed.

input: Any tensors, each of a type of its own.
output: The same tensors, in the same order.
)doc");

class IdentityNOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    for (int i = 0; i < context->num_inputs(); ++i) {
      const Tensor& input = context->input(i);
      Tensor* output = nullptr;
      if (!context->forward_input_to_output_with_shape(i, i, input.shape(), &output)) context->set_output(i, input);
    }
  }
};

REGISTER_KERNEL_BUILDER(Name("IdentityN").Device(DEVICE_CPU), IdentityNOp);
// [/list]

#if GOOGLE_CUDA
#define TYPE_OF(T) DataTypeToEnum<T>::value,
// Strings stay in host memory on any device.
REGISTER_KERNEL_BUILDER(
    Name("IdentityN").Device(DEVICE_GPU).TypeConstraint("T", {LIST_OPS_CALL_FIXED_SIZE_TYPES(TYPE_OF)}).Capturable(),
    IdentityNOp);
#undef TYPE_OF
#endif  // GOOGLE_CUDA

// Pack: the output has one more dimension than the inputs.

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

// Unpack: the outputs have one dimension less than the input.

namespace {

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
Takes a tensor apart into a list of tensors with one dimension less.

output[i] is what the value holds at index i along the axis. Pack is the way back.

value: A tensor of numbers or bools, of one dimension or more.
output: The parts, in order.
num: How many parts there are: the size of the value's dimension along the axis.
axis: Which dimension goes away. A negative one counts from the end: -1 is the last.
)doc");
// [/unpack]

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

namespace {

constexpr int kSplitDim = 0, kWhole = 1;

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
  const ShapeHandle value = c->input(kWhole);
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
  *part = context->input(kWhole).shape();
  TF_RETURN_IF_ERROR(CheckScalar(split_dim.shape(), "split_dim"));
  TF_RETURN_IF_ERROR(ResolveSplitDim(split_dim.scalar<int32>()(), part->dims(), axis));
  const int64 size = part->dim_size(static_cast<int>(*axis));
  if (size % num_split != 0) return NotEvenly(num_split, *axis, part->DebugString());
  part->set_dim(static_cast<int>(*axis), size / num_split);
  return Status::OK();
}

}  // namespace list_ops
