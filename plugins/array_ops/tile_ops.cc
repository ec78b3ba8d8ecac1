// plugins/array_ops/tile_ops.cc: Tile and BroadcastTo, which repeat elements.
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "indices.h"
#include "opsrun/elements.h"
#include "opsrun/op.h"
#include "view.h"

namespace array_ops {
namespace {

using namespace opsrun;
using namespace shape_inference;

Status CheckMultiple(size_t i, int64 multiple) {
  if (multiple >= 0) return Status::OK();
  return Wrong("multiples", "multiples[", i, "] is ", multiple, ", but must be 0 or more");
}

Status CheckMultiples(const std::vector<int64>& multiples, int64 rank) {
  if (static_cast<int64>(multiples.size()) != rank) {
    return Wrong("multiples", "multiples has ", multiples.size(), " elements, but input has rank ", rank);
  }
  for (size_t i = 0; i < multiples.size(); ++i) TF_RETURN_IF_ERROR(CheckMultiple(i, multiples[i]));
  return Status::OK();
}

// Reports the elements of a tensor of known shape, provided that the multiples are known.
void PassTiled(InferenceContext* c, const std::vector<KnownElement>& multiples) {
  std::vector<std::vector<int64_t>> positions(multiples.size());
  for (size_t i = 0; i < positions.size(); ++i) {
    const int64 size = c->Value(c->Dim(c->input(0), static_cast<int>(i))),
                tiled = c->Value(c->Dim(c->output(0), static_cast<int>(i)));
    if (tiled > OPSRUN_MAX_RANK) return;
    for (int64 k = 0; k < tiled; ++k) positions[i].push_back(k % size);
  }
  shape_inference::TakeElements(c, 0, positions);
}

Status TileShape(InferenceContext* c) {
  ShapeHandle input = c->input(0);
  TF_RETURN_IF_ERROR(CheckVector(c, 1, "multiples"));
  const int64 length = c->RankKnown(c->input(1)) ? c->Value(c->Dim(c->input(1), 0)) : -1;
  if (length >= 0 && !c->WithRank(input, length, &input).ok()) {
    return Wrong("multiples", "multiples has ", length, " elements, but input has rank ", c->Rank(c->input(0)));
  }
  const auto multiples = c->input_elements(1);
  if (!c->RankKnown(input) || !multiples) return SetUnknownOfRank(c, c->Rank(input));
  std::vector<DimensionHandle> dims(multiples->size());
  for (size_t i = 0; i < dims.size(); ++i) {
    const KnownElement& multiple = (*multiples)[i];
    if (multiple.known()) TF_RETURN_IF_ERROR(CheckMultiple(i, multiple.value()));
    TF_RETURN_IF_ERROR(c->Multiply(c->Dim(input, static_cast<int>(i)), c->SizeOf(multiple), &dims[i]));
  }
  c->set_output(0, c->MakeShape(dims));
  if (c->FullyDefined(c->output(0)) && c->passed_elements(0)) PassTiled(c, *multiples);
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
Repeats a tensor along its dimensions, as tiles cover a floor.

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

typedef ViewOp<TileView, CpuMoves> TileOp;
typedef ViewOp<BroadcastToView, CpuMoves> BroadcastToOp;
REGISTER_KERNEL_BUILDER(Name("Tile").Device(DEVICE_CPU).TypeConstraint("T", kMoved), TileOp);
REGISTER_KERNEL_BUILDER(Name("BroadcastTo").Device(DEVICE_CPU).TypeConstraint("T", kMoved), BroadcastToOp);

}  // namespace

Status FindTile(OpKernelContext* context, View* view, TensorShape* shape) {
  const Tensor& input = context->input(0);
  std::vector<int64> multiples;
  TF_RETURN_IF_ERROR(ReadVector(context->input(1), "multiples", &multiples));
  TF_RETURN_IF_ERROR(CheckMultiples(multiples, input.dims()));
  const View whole = WholeView(input.shape());
  for (size_t i = 0; i < multiples.size(); ++i) {
    int64 size;
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
