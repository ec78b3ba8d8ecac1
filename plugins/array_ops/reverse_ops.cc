// plugins/array_ops/reverse_ops.cc: Reverse and ReverseV2: some dimensions of a tensor in reverse order.
// SPDX-License-Identifier: Apache-2.0

#include "indices.h"
#include "opsrun/elements.h"
#include "opsrun/op.h"
#include "view.h"

namespace array_ops {
namespace {

using namespace opsrun;
using shape_inference::InferenceContext;

Status WrongLength(int64 length, int64 rank) {
  return Wrong("dims", "dims has ", length, " elements, but tensor has rank ", rank);
}

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
  const int64 length = c->RankKnown(c->input(1)) ? c->Value(c->Dim(c->input(1), 0)) : -1;
  const int rank = c->Rank(c->input(0));
  if (length >= 0 && rank >= 0 && length != rank) return WrongLength(length, rank);
  c->set_output(0, c->input(0));
  return Status::OK();
}

// Requires: the shape of the input is known.
void PassReversed(InferenceContext* c, const std::vector<bool>& reversed) {
  if (!c->passed_elements(0)) return;
  std::vector<std::vector<int64_t>> positions(reversed.size());
  for (size_t i = 0; i < positions.size(); ++i) {
    const int64 size = c->Value(c->Dim(c->input(0), static_cast<int>(i)));
    for (int64 k = 0; k < size; ++k) positions[i].push_back(reversed[i] ? size - 1 - k : k);
  }
  shape_inference::TakeElements(c, 0, positions);
}

Status ReverseV2Shape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckVector(c, 1, "axis"));
  const Tensor* axes = c->input_tensor(1);
  std::vector<bool> reversed;
  if (axes != nullptr && c->RankKnown(c->input(0))) {
    TF_RETURN_IF_ERROR(FindReversed(*axes, c->Rank(c->input(0)), &reversed));
  }
  c->set_output(0, c->input(0));
  if (!reversed.empty() && c->FullyDefined(c->input(0))) PassReversed(c, reversed);
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

typedef ViewOp<ReverseView, CpuMoves> ReverseOp;
typedef ViewOp<ReverseV2View, CpuMoves> ReverseV2Op;
REGISTER_KERNEL_BUILDER(Name("Reverse").Device(DEVICE_CPU).TypeConstraint("T", kMoved), ReverseOp);
REGISTER_KERNEL_BUILDER(Name("ReverseV2").Device(DEVICE_CPU).TypeConstraint("T", kMoved), ReverseV2Op);

}  // namespace

Status FindReverse(OpKernelContext* context, View* view, TensorShape* shape) {
  const Tensor& dims = context->input(1);
  if (dims.dims() != 1 || dims.NumElements() != context->input(0).dims()) {
    return WrongLength(dims.NumElements(), context->input(0).dims());
  }
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

}  // namespace array_ops
