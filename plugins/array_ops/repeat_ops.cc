// plugins/array_ops/repeat_ops.cc: Reverse, ReverseV2, Tile and BroadcastTo.
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "indices.h"
#include "opsrun/op.h"
#include "view.h"

namespace array_ops {
namespace {

using namespace shape_inference;

// Sets reversed[i] for each axis.
Status FindReversed(const Tensor& axes, int rank, std::vector<bool>* reversed) {
  std::vector<int64> listed;
  TF_RETURN_IF_ERROR(ReadVector(axes, "axis", &listed));
  reversed->assign(static_cast<size_t>(rank), false);
  for (int64 axis : listed) {
    const int64 given = axis;
    TF_RETURN_IF_ERROR(ResolveAxis(axis, rank, "axis", "tensor", &axis));
    if ((*reversed)[static_cast<size_t>(axis)])
      return Wrong("axis", "axis ", given, " is named twice; name each axis once");
    (*reversed)[static_cast<size_t>(axis)] = true;
  }
  return Status::OK();
}

// The view of input 0 with some dimensions reversed.
void SetReversed(OpKernelContext* context, const std::vector<bool>& reversed, View* view, TensorShape* shape) {
  *shape = context->input(0).shape();
  *view = WholeView(*shape);
  for (size_t i = 0; i < reversed.size(); ++i) {
    ViewDim& dim = view->dims[i];
    if (!reversed[i] || dim.size == 0) continue;
    view->offset += (dim.size - 1) * dim.stride;
    dim.stride = -dim.stride;
  }
}

Status ReverseShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckVector(c, 1, "dims"));
  TF_RETURN_IF_ERROR(CheckLength(LengthOf(c, 1), "dims", c->Rank(c->input(0)), "tensor"));
  c->set_output(0, c->input(0));
  return Status::OK();
}

Status ReverseV2Shape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckVector(c, 1, "axis"));
  const Tensor* axes = c->input_tensor(1);
  std::vector<bool> reversed;
  if (axes != nullptr && c->RankKnown(c->input(0))) {
    TF_RETURN_IF_ERROR(FindReversed(*axes, c->Rank(c->input(0)), &reversed));
  }
  c->set_output(0, c->input(0));
  if (reversed.empty() || !c->FullyDefined(c->input(0))) return Status::OK();
  const std::vector<int64> sizes = SizesOf(c, c->input(0));
  PassAt(c, sizes, [&](size_t i, int64 k) { return reversed[i] ? sizes[i] - 1 - k : k; });
  return Status::OK();
}

REGISTER_OP("Reverse")
    .Input("tensor: T")
    .Input("dims: bool")
    .Output("output: T")
    .Attr("T: type")
    .SetShapeFn(ReverseShape)
    .Gradient(R"yaml(
nodes:
  dtensor: {op: Reverse, in: [grad.output, dims]}
outputs: {tensor: dtensor, dims: null}
)yaml")
    .Doc(R"doc(
Reverses the order of the elements along some dimensions.

tensor: Any tensor.
dims: A vector with an element for each dimension: whether to reverse it.
output: The reversed tensor.
)doc");

REGISTER_OP("ReverseV2")
    .Input("tensor: T")
    .Input("axis: Tidx")
    .Output("output: T")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .Attr("T: type")
    .SetShapeFn(ReverseV2Shape)
    .Gradient(R"yaml(
nodes:
  dtensor: {op: ReverseV2, in: [grad.output, axis]}
outputs: {tensor: dtensor, axis: null}
)yaml")
    .Doc(R"doc(
Reverses the order of the elements along some dimensions.

tensor: Any tensor.
axis: A vector of the dimensions to reverse, each once. A negative one counts from the end: -1 is the last.
output: The reversed tensor.
)doc");

REGISTER_KERNEL_BUILDER(ARRAY_OPS_CPU("Reverse"), ViewOp<PlainView<FindReverse>, CpuMoves>);
REGISTER_KERNEL_BUILDER(ARRAY_OPS_CPU("ReverseV2"), ViewOp<PlainView<FindReverseV2>, CpuMoves>);

Status CheckMultiple(size_t i, int64 multiple) {
  if (multiple >= 0) return Status::OK();
  return Wrong("multiples", "multiples[", i, "] is ", multiple, ", but must be 0 or more");
}

Status TileShape(InferenceContext* c) {
  ShapeHandle input = c->input(0);
  TF_RETURN_IF_ERROR(CheckVector(c, 1, "multiples"));
  const int64 length = LengthOf(c, 1);
  TF_RETURN_IF_ERROR(CheckLength(length, "multiples", c->Rank(input), "input"));
  if (length >= 0) TF_RETURN_IF_ERROR(c->WithRank(input, length, &input));
  const auto multiples = c->input_elements(1);
  if (!c->RankKnown(input) || !multiples) return SetUnknownOfRank(c, c->Rank(input));
  std::vector<DimensionHandle> dims(multiples->size());
  for (size_t i = 0; i < dims.size(); ++i) {
    const KnownElement& multiple = (*multiples)[i];
    if (multiple.known()) TF_RETURN_IF_ERROR(CheckMultiple(i, multiple.value()));
    TF_RETURN_IF_ERROR(c->Multiply(c->Dim(input, static_cast<int>(i)), c->SizeOf(multiple), &dims[i]));
  }
  c->set_output(0, c->MakeShape(dims));
  if (!c->FullyDefined(c->output(0)) || !c->FullyDefined(input)) return Status::OK();
  const std::vector<int64> sizes = SizesOf(c, input);
  PassAt(c, SizesOf(c, c->output(0)), [&](size_t i, int64 k) { return k % sizes[i]; });
  return Status::OK();
}

Status NotBroadcast(const std::string& input, const std::string& shape) {
  return Wrong("shape", "input has shape ", input, ", which cannot be broadcast to ", shape);
}

// Each size of the input is 1 or the output's size; an unknown one may be either.
Status BroadcastToShape(InferenceContext* c) {
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &shape));
  const ShapeHandle input = c->input(0), wanted = shape;
  bool fits = !c->RankKnown(shape) || c->Rank(input) <= c->Rank(shape);
  for (int i = 1; fits && c->RankKnown(shape) && i <= c->Rank(input); ++i) {
    DimensionHandle from = c->Dim(input, -i);
    if (!c->ValueKnown(from) || c->Value(from) == 1) continue;
    fits = c->Merge(c->Dim(shape, -i), from, &from).ok() && c->ReplaceDim(shape, -i, from, &shape).ok();
  }
  if (!fits) return NotBroadcast(c->DebugString(input), c->DebugString(wanted));
  c->set_output(0, shape);
  shape_inference::BroadcastElements(c, 0);
  return Status::OK();
}

REGISTER_OP("Tile")
    .Input("input: T")
    .Input("multiples: Tmultiples")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tmultiples: {int32, int64} = DT_INT32")
    .SetShapeFn(TileShape)
    .Gradient(R"yaml(
feeds:
  zero: {value: 0, dtype: int32}
  two: {value: 2, dtype: int32}
  flat: {value: [-1], dtype: int32}
nodes:
  sizes: {op: Shape, in: input, attrs: {out_type: {attr: Tmultiples}}}
  pairs: {op: Pack, in: [[multiples, sizes]], attrs: {axis: 1}}
  split_sizes: {op: Reshape, in: [pairs, flat]}
  split: {op: Reshape, in: [grad.output, split_sizes]}
  split_rank: {op: Size, in: split_sizes}
  repeated: {op: Range, in: [zero, split_rank, two]}
  dinput: {op: Sum, in: [split, repeated]}
outputs: {input: dinput, multiples: null}
)yaml")
    .Doc(R"doc(
Repeats a tensor along each of its dimensions.

input: Any tensor.
multiples: A vector with an element for each dimension: how many times the tensor is repeated along it.
output: The repeated tensor. Dimension i has size input.shape[i] * multiples[i].
)doc");

REGISTER_OP("BroadcastTo")
    .Input("input: T")
    .Input("shape: Tidx")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .SetShapeFn(BroadcastToShape)
    .Gradient(R"yaml(
nodes:
  input_shape: {op: Shape, in: input}
  dinput: {op: SumToShape, in: [grad.output, input_shape]}
outputs: {input: dinput, shape: null}
)yaml")
    .Doc(R"doc(
Repeats a tensor to a larger shape by the rules of broadcasting.

Dimensions of size 1, and those that the input lacks at the front, take any size.

input: Any tensor.
shape: The shape of the output.
output: The repeated tensor.
)doc");

REGISTER_KERNEL_BUILDER(ARRAY_OPS_CPU("Tile"), ViewOp<PlainView<FindTile>, CpuMoves>);
REGISTER_KERNEL_BUILDER(ARRAY_OPS_CPU("BroadcastTo"), ViewOp<PlainView<FindBroadcastTo>, CpuMoves>);

}  // namespace

Status FindReverse(OpKernelContext* context, View* view, TensorShape* shape) {
  const Tensor& dims = context->input(1);
  TF_RETURN_IF_ERROR(CheckVector(dims.shape(), "dims"));
  TF_RETURN_IF_ERROR(CheckLength(dims.NumElements(), "dims", context->input(0).dims(), "tensor"));
  std::vector<bool> reversed;
  for (int64 i = 0; i < dims.NumElements(); ++i) reversed.push_back(dims.flat<bool>()(i));
  SetReversed(context, reversed, view, shape);
  return Status::OK();
}

Status FindReverseV2(OpKernelContext* context, View* view, TensorShape* shape) {
  std::vector<bool> reversed;
  TF_RETURN_IF_ERROR(FindReversed(context->input(1), context->input(0).dims(), &reversed));
  SetReversed(context, reversed, view, shape);
  return Status::OK();
}

Status FindTile(OpKernelContext* context, View* view, TensorShape* shape) {
  const Tensor& input = context->input(0);
  std::vector<int64> multiples;
  TF_RETURN_IF_ERROR(ReadVector(context->input(1), "multiples", &multiples));
  TF_RETURN_IF_ERROR(CheckLength(static_cast<int64>(multiples.size()), "multiples", input.dims(), "input"));
  const View whole = WholeView(input.shape());
  for (size_t i = 0; i < multiples.size(); ++i) {
    int64 size;
    TF_RETURN_IF_ERROR(CheckMultiple(i, multiples[i]));
    if (__builtin_mul_overflow(whole.dims[i].size, multiples[i], &size)) {
      return Wrong("multiples", "dimension ", i, " would have ", whole.dims[i].size, " * ", multiples[i],
                   " elements, more than int64 can hold");
    }
    shape->AddDim(size);
    view->dims.push_back({multiples[i], 0});
    view->dims.push_back(whole.dims[i]);
  }
  return Status::OK();
}

Status FindBroadcastTo(OpKernelContext* context, View* view, TensorShape* shape) {
  const Tensor& input = context->input(0);
  TF_RETURN_IF_ERROR(ReadShape(context->input(1), "shape", shape));
  const int added = shape->dims() - input.dims();
  bool fits = added >= 0;
  *view = WholeView(input.shape());
  for (int i = 0; fits && i < input.dims(); ++i) {
    ViewDim& dim = view->dims[static_cast<size_t>(i)];
    if (dim.size == shape->dim_size(added + i)) continue;
    fits = dim.size == 1;
    dim = {shape->dim_size(added + i), 0};
  }
  if (!fits) return NotBroadcast(input.shape().DebugString(), shape->DebugString());
  for (int i = added; i-- > 0;) view->dims.insert(view->dims.begin(), {shape->dim_size(i), 0});
  return Status::OK();
}

}  // namespace array_ops
