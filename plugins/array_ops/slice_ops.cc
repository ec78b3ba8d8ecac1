// plugins/array_ops/slice_ops.cc: Slice, StridedSlice and StridedSliceGrad.
// SPDX-License-Identifier: Apache-2.0
#include "indices.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "view.h"

namespace array_ops {
namespace {

using namespace shape_inference;

constexpr int kInput = 0, kBegin = 1, kSize = 2;

// Sets *size to the number of elements taken in dimension i; -1 means the rest. `whole` is -1 if it is unknown.
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

Status CheckLengths(int64 rank, size_t begins, size_t sizes) {
  TF_RETURN_IF_ERROR(CheckLength(static_cast<int64>(begins), "begin", rank, "input"));
  return CheckLength(static_cast<int64>(sizes), "size", rank, "input");
}

// The kernel uses the same checks, so messages are the same before and during a run.
Status SliceShapeFn(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckVector(c, kBegin, "begin"));
  TF_RETURN_IF_ERROR(CheckVector(c, kSize, "size"));
  const auto begins = c->input_elements(kBegin), sizes = c->input_elements(kSize);
  if (begins && sizes && c->RankKnown(c->input(kInput))) {
    const int rank = c->Rank(c->input(kInput));
    TF_RETURN_IF_ERROR(CheckLengths(rank, begins->size(), sizes->size()));
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

REGISTER_KERNEL_BUILDER(ARRAY_OPS_CPU("Slice"), ViewOp<PlainView<FindSlice>, CpuMoves>);

// Resolves a slice of a tensor of a known shape, and computes the shape of the result.
Status MakeSlice(const StridedMasks& masks, const StridedValues& values, const TensorShape& shape, View* view,
                 TensorShape* sliced) {
  if (values.begin.size() != values.end.size() || values.begin.size() != values.strides.size()) {
    return Wrong("begin", "begin, end and strides must have the same length, but have ", values.begin.size(), ", ",
                 values.end.size(), " and ", values.strides.size(), " elements");
  }
  StridedLayout layout;
  TF_RETURN_IF_ERROR(MakeStridedLayout(masks, static_cast<int>(values.begin.size()), shape.dims(), &layout));
  *view = WholeView(shape);
  for (int i = 0; i < shape.dims(); ++i) {
    const size_t at = static_cast<size_t>(i);
    Progression taken;
    TF_RETURN_IF_ERROR(values.Resolve(masks, layout.dims[at], i, shape.dim_size(i), &taken));
    ViewDim& dim = view->dims[at];
    if (taken.count > 0) view->offset += taken.begin * dim.stride;
    dim = {taken.count, taken.stride * dim.stride};
  }
  if (layout.final_dims.size() > OPSRUN_MAX_RANK) {
    return errors::InvalidArgument("the result has rank ", layout.final_dims.size(), ", but a tensor has at most ",
                                   OPSRUN_MAX_RANK, " dimensions")
        .Blame("attr:new_axis_mask");
  }
  for (const int dim : layout.final_dims) sliced->AddDim(dim < 0 ? 1 : view->dims[static_cast<size_t>(dim)].size);
  return Status::OK();
}

Status GradShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckStridedInputs(c, 1));
  return shape_inference::RandomShape(c);
}

#define MASKS                         \
  Attr("begin_mask: int = 0")         \
      .Attr("end_mask: int = 0")      \
      .Attr("ellipsis_mask: int = 0") \
      .Attr("new_axis_mask: int = 0") \
      .Attr("shrink_axis_mask: int = 0")

#define PASS_MASKS                                                                                                    \
  "begin_mask: {attr: begin_mask}, end_mask: {attr: end_mask}, ellipsis_mask: {attr: ellipsis_mask}, new_axis_mask: " \
  "{attr: new_axis_mask}, shrink_axis_mask: {attr: shrink_axis_mask}"

REGISTER_OP("StridedSlice")
    .Input("input: T")
    .Input("begin: Index")
    .Input("end: Index")
    .Input("strides: Index")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Index: {int32, int64}")
    .MASKS.SetShapeFn(StridedSliceShape)
    .Gradient(R"yaml(
nodes:
  shape: {op: Shape, in: input, attrs: {out_type: {attr: Index}}}
  dinput:
    op: StridedSliceGrad
    in: [shape, begin, end, strides, grad.output]
    attrs: {)yaml" PASS_MASKS R"yaml(}
outputs: {input: dinput, begin: null, end: null, strides: null}
)yaml")
    .Doc(R"doc(
Takes elements at equal distances out of a tensor, as Python's x[begin:end:stride] does in each dimension.

Entry i of the three vectors describes dimension i of the input, unless a mask gives it another meaning. Dimensions that
no entry describes are taken whole.

input: Any tensor.
begin: Where each dimension begins. A negative position counts from the end. TensorFlow's op takes int16 as well.
end: Where it ends: the first position that is not taken. Positions beyond the input are moved to its edge.
strides: The distance of the elements that are taken. A negative one goes backwards.
output: The elements.
begin_mask: If bit i is set, begin[i] is ignored: the dimension begins at its edge.
end_mask: If bit i is set, end[i] is ignored: the dimension ends at its edge.
ellipsis_mask: If bit i is set, entry i stands for all dimensions that no other entry describes. At most one bit is set.
new_axis_mask: If bit i is set, entry i makes a new dimension of size 1.
shrink_axis_mask: If bit i is set, only the element at begin[i] is taken, and the dimension goes away.
)doc");

REGISTER_OP("StridedSliceGrad")
    .Input("shape: Index")
    .Input("begin: Index")
    .Input("end: Index")
    .Input("strides: Index")
    .Input("dy: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Index: {int32, int64}")
    .MASKS.SetShapeFn(GradShape)
    .Gradient(R"yaml(
nodes:
  ddy:
    op: StridedSlice
    in: [grad.output, begin, end, strides]
    attrs: {)yaml" PASS_MASKS R"yaml(}
outputs: {shape: null, begin: null, end: null, strides: null, dy: ddy}
)yaml")
    .Doc(R"doc(
Puts a slice into a tensor of zeros: the gradient of StridedSlice.

shape: The shape of the tensor.
begin: As for StridedSlice.
end: As for StridedSlice.
strides: As for StridedSlice.
dy: The slice.
output: Zeros, with dy where StridedSlice would take elements from.
begin_mask: As for StridedSlice.
end_mask: As for StridedSlice.
ellipsis_mask: As for StridedSlice.
new_axis_mask: As for StridedSlice.
shrink_axis_mask: As for StridedSlice.
)doc");

REGISTER_KERNEL_BUILDER(ARRAY_OPS_CPU("StridedSlice"), ViewOp<StridedSliceView, CpuMoves>);
REGISTER_KERNEL_BUILDER(ARRAY_OPS_CPU("StridedSliceGrad"), StridedSliceGradOp<CpuMoves>);

}  // namespace

Status FindSlice(OpKernelContext* context, View* view, TensorShape* shape) {
  const Tensor& input = context->input(kInput);
  std::vector<int64> begin, size;
  TF_RETURN_IF_ERROR(ReadVector(context->input(kBegin), "begin", &begin));
  TF_RETURN_IF_ERROR(ReadVector(context->input(kSize), "size", &size));
  TF_RETURN_IF_ERROR(CheckLengths(input.dims(), begin.size(), size.size()));
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

// StridedSlice and StridedSliceGrad.

Status StridedSliceView::FindIn(const TensorShape& whole, OpKernelContext* context, View* view,
                                TensorShape* shape) const {
  StridedValues values;
  TF_RETURN_IF_ERROR(ReadVector(context->input(1), "begin", &values.begin));
  TF_RETURN_IF_ERROR(ReadVector(context->input(2), "end", &values.end));
  TF_RETURN_IF_ERROR(ReadVector(context->input(3), "strides", &values.strides));
  return MakeSlice(masks_, values, whole, view, shape);
}

Status StridedSliceView::Find(OpKernelContext* context, View* view, TensorShape* shape) const {
  return FindIn(context->input(0).shape(), context, view, shape);
}

Status FindStridedSliceGrad(const StridedSliceView& sliced, OpKernelContext* context, View* view, TensorShape* whole) {
  TensorShape shape;
  TF_RETURN_IF_ERROR(ReadShape(context->input(0), "shape", whole));
  TF_RETURN_IF_ERROR(sliced.FindIn(*whole, context, view, &shape));
  return CheckShape(context->input(4).shape(), "dy", shape, "the slice");
}

}  // namespace array_ops
