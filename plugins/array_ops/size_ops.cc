// plugins/array_ops/size_ops.cc: Size, Rank, ExpandDims and Squeeze.
// SPDX-License-Identifier: Apache-2.0
#include "moving_ops.h"
#include "opsrun/op.h"

namespace array_ops {
namespace {

using namespace shape_inference;

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

REGISTER_KERNEL_BUILDER(Name("Size").Device(DEVICE_CPU).TypeConstraint<int32>("out_type"), FunctionOp<GiveSize<int32>>);
REGISTER_KERNEL_BUILDER(Name("Size").Device(DEVICE_CPU).TypeConstraint<int64>("out_type"), FunctionOp<GiveSize<int64>>);
REGISTER_KERNEL_BUILDER(Name("Rank").Device(DEVICE_CPU), FunctionOp<GiveRank>);

// Of ExpandDims. TensorFlow accepts a vector of one element too.
Status ReadDim(const Tensor& dim, int64 rank, int64* at) {
  if (dim.NumElements() != 1) return CheckScalar(dim.shape(), "dim");
  return ResolveAxis(Integers(dim)[0], rank + 1, "dim", "the output", at);
}

Status ExpandDimsShape(InferenceContext* c) {
  const ShapeHandle input = c->input(0);
  const Tensor* dim = c->input_tensor(1);
  if (dim == nullptr || !c->RankKnown(input)) {
    return SetUnknownOfRank(c, c->RankKnown(input) ? c->Rank(input) + 1 : -1);
  }
  int64 at;
  ShapeHandle before, after;
  TF_RETURN_IF_ERROR(ReadDim(*dim, c->Rank(input), &at));
  TF_RETURN_IF_ERROR(c->Subshape(input, 0, at, &before));
  TF_RETURN_IF_ERROR(c->Subshape(input, at, &after));
  TF_RETURN_IF_ERROR(c->Concatenate(before, c->Vector(1), &before));
  TF_RETURN_IF_ERROR(c->Concatenate(before, after, &before));
  c->set_output(0, before);
  shape_inference::PassElements(c, 0);
  return Status::OK();
}

// Which dimensions are listed. If none is, all dimensions of size 1 are meant.
Status FindNamed(const std::vector<int64>& listed, int64 rank, std::vector<bool>* named) {
  named->assign(static_cast<size_t>(rank), false);
  for (int64 axis : listed) {
    if (axis < -rank || axis >= rank) {
      return errors::InvalidArgument("squeeze_dims has ", axis, ", but input has rank ", rank)
          .Blame("attr:squeeze_dims");
    }
    (*named)[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
  }
  return Status::OK();
}

Status NotOne(int i, int64 size) {
  return errors::InvalidArgument("dimension ", i, " of input has size ", size,
                                 "; only dimensions of size 1 can be removed")
      .Blame("attr:squeeze_dims");
}

Status SqueezeShape(InferenceContext* c) {
  const ShapeHandle input = c->input(0);
  std::vector<int64> listed;
  std::vector<bool> named;
  std::vector<DimensionHandle> dims;
  TF_RETURN_IF_ERROR(c->GetAttr("squeeze_dims", &listed));
  if (!c->RankKnown(input)) return SetUnknownOfRank(c, -1);
  TF_RETURN_IF_ERROR(FindNamed(listed, c->Rank(input), &named));
  for (int i = 0; i < c->Rank(input); ++i) {
    DimensionHandle dim = c->Dim(input, i);
    const bool is_named = named[static_cast<size_t>(i)];
    if (listed.empty() && !c->ValueKnown(dim)) return SetUnknownOfRank(c, -1);
    if (is_named && !c->WithValue(dim, 1, &dim).ok()) return NotOne(i, c->Value(c->Dim(input, i)));
    if (!is_named && (!listed.empty() || c->Value(dim) != 1)) dims.push_back(dim);
  }
  c->set_output(0, c->MakeShape(dims));
  shape_inference::PassElements(c, 0);
  return Status::OK();
}

REGISTER_OP("ExpandDims")
    .Input("input: T")
    .Input("dim: Tdim")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tdim: {int32, int64} = DT_INT32")
    .SetShapeFn(ExpandDimsShape)
    .Gradient(R"yaml(
nodes:
  shape: {op: Shape, in: input}
  dinput: {op: Reshape, in: [grad.output, shape]}
outputs: {input: dinput, dim: null}
)yaml")
    .Doc(R"doc(
Adds a dimension of size 1.

input: Any tensor.
dim: A scalar: where the new dimension stands in the output's shape. A negative one counts from the end: -1 is the last.
output: The same elements with one dimension more.
)doc");

REGISTER_OP("Squeeze")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("squeeze_dims: list(int) >= 0 = []")
    .SetShapeFn(SqueezeShape)
    .Gradient(R"yaml(
nodes:
  shape: {op: Shape, in: input}
  dinput: {op: Reshape, in: [grad.output, shape]}
outputs: {input: dinput}
)yaml")
    .Doc(R"doc(
Removes dimensions of size 1.

input: Any tensor.
output: The same elements without these dimensions.
squeeze_dims: Which dimensions to remove; negative ones count from the end. All of them must have size 1. An empty list
    means all dimensions of size 1.
)doc");

REGISTER_KERNEL_BUILDER(ARRAY_OPS_CPU("ExpandDims"), ViewOp<PlainView<FindExpandDims>, CpuMoves>);
REGISTER_KERNEL_BUILDER(ARRAY_OPS_CPU("Squeeze"), ViewOp<SqueezeView, CpuMoves>);

}  // namespace

Status FindExpandDims(OpKernelContext* context, View* view, TensorShape* shape) {
  *shape = context->input(0).shape();
  *view = WholeView(*shape);
  int64 at;
  TF_RETURN_IF_ERROR(ReadDim(context->input(1), shape->dims(), &at));
  if (shape->dims() >= OPSRUN_MAX_RANK) {
    return Wrong("input", "input has rank ", shape->dims(), ", and no tensor has more");
  }
  shape->InsertDim(static_cast<int>(at), 1);
  return Status::OK();
}

Status SqueezeView::Find(OpKernelContext* context, View* view, TensorShape* shape) const {
  const Tensor& input = context->input(0);
  *view = WholeView(input.shape());
  std::vector<bool> named;
  TF_RETURN_IF_ERROR(FindNamed(listed_, input.dims(), &named));
  for (int i = 0; i < input.dims(); ++i) {
    const bool is_named = named[static_cast<size_t>(i)];
    if (is_named && input.dim_size(i) != 1) return NotOne(i, input.dim_size(i));
    if (!is_named && (!listed_.empty() || input.dim_size(i) != 1)) shape->AddDim(input.dim_size(i));
  }
  return Status::OK();
}

}  // namespace array_ops
