// plugins/array_ops/slice_op.cc: Slice, a part of a tensor.
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "elements.h"
#include "integers.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "view_ops.h"

namespace array_ops {
namespace {

using namespace opsrun;
using shape_inference::InferenceContext;

constexpr int kInput = 0, kBegin = 1, kSize = 2;

// *size is how many elements there are in dimension i, where -1 means the rest. `whole` is -1 if it is unknown.
Status CheckDim(int i, int64 whole, int64 begin, int64* size) {
  if (begin < 0 || (whole >= 0 && begin > whole)) {
    return Wrong("begin", "begin[", i, "] is ", begin, ", but must be between 0 and ", whole,
                 ", the size of dimension ", i, " of input");
  }
  if (*size == -1 && whole < 0) return Status::OK();
  if (*size == -1) *size = whole - begin;
  if (*size < -1 || (whole >= 0 && *size > whole - begin)) {
    return Wrong("size", "size[", i, "] is ", *size, ", but must be between -1 and ", whole - begin,
                 ", since dimension ", i, " of input has size ", whole, " and begin[", i, "] is ", begin);
  }
  return Status::OK();
}

Status CheckLengths(int64 rank, int64 begins, int64 sizes) {
  if (begins != rank) return Wrong("begin", "begin has ", begins, " elements, but input has rank ", rank);
  if (sizes != rank) return Wrong("size", "size has ", sizes, " elements, but input has rank ", rank);
  return Status::OK();
}

// What can be wrong is found here, so that the message is the same before a run and in one.
Status SliceShapeFn(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckVector(c, kBegin, "begin"));
  TF_RETURN_IF_ERROR(CheckVector(c, kSize, "size"));
  const auto begins = c->input_elements(kBegin), sizes = c->input_elements(kSize);
  if (begins && sizes && c->RankKnown(c->input(kInput))) {
    const int rank = c->Rank(c->input(kInput));
    const int64 n_begins = static_cast<int64>(begins->size()), n_sizes = static_cast<int64>(sizes->size());
    TF_RETURN_IF_ERROR(CheckLengths(rank, n_begins, n_sizes));
    for (int i = 0; i < rank; ++i) {
      const size_t at = static_cast<size_t>(i);
      if (!(*begins)[at].known() || !(*sizes)[at].known()) continue;
      int64 size = (*sizes)[at].value();
      TF_RETURN_IF_ERROR(CheckDim(i, c->Value(c->Dim(c->input(kInput), i)), (*begins)[at].value(), &size));
    }
  }
  return shape_inference::SliceShape(c);
}

REGISTER_OP("Slice")
    .Input("input: T")
    .Input("begin: Index")
    .Input("size: Index")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Index: {int32, int64}")
    .SetShapeFn(SliceShapeFn)
    .Gradient(R"yaml(
nodes:
  whole: {op: Shape, in: input, attrs: {out_type: {attr: Index}}}
  part: {op: Shape, in: output, attrs: {out_type: {attr: Index}}}
  rest: {op: Sub, in: [whole, part]}
  after: {op: Sub, in: [rest, begin]}
  paddings: {op: Pack, in: [[begin, after]], attrs: {axis: 1}}
  dinput: {op: Pad, in: [grad.output, paddings]}
outputs: {input: dinput, begin: null, size: null}
)yaml")
    .Doc(R"doc(
Takes a part out of a tensor: size[i] elements from begin[i] on, in each dimension i.

input: Any tensor.
begin: A vector with an element for each dimension: where the part begins, counted from 0.
size: A vector with an element for each dimension: how many elements the part has. -1 means all that remain.
output: The part.
)doc");

typedef ViewOp<SliceView, CpuMoves> SliceOp;
REGISTER_KERNEL_BUILDER(Name("Slice").Device(DEVICE_CPU).TypeConstraint("T", kMoved), SliceOp);

}  // namespace

Status FindSlice(OpKernelContext* context, View* view, TensorShape* shape) {
  const Tensor& input = context->input(kInput);
  std::vector<int64> begin, size;
  TF_RETURN_IF_ERROR(ReadVector(context->input(kBegin), "begin", &begin));
  TF_RETURN_IF_ERROR(ReadVector(context->input(kSize), "size", &size));
  const int64 begins = static_cast<int64>(begin.size()), sizes = static_cast<int64>(size.size());
  TF_RETURN_IF_ERROR(CheckLengths(input.dims(), begins, sizes));
  *view = WholeView(input.shape());
  for (int i = 0; i < input.dims(); ++i) {
    const size_t at = static_cast<size_t>(i);
    TF_RETURN_IF_ERROR(CheckDim(i, input.dim_size(i), begin[at], &size[at]));
    view->dims[at].size = size[at];
    view->offset += begin[at] * view->dims[at].stride;
    shape->AddDim(size[at]);
  }
  return Status::OK();
}

}  // namespace array_ops
