// plugins/array_ops/view.h: the elements of an array in another order: the one loop behind Slice, StridedSlice,
// Reverse, Transpose, Tile and BroadcastTo.
//
// A view is a list of dimensions, the outermost first. Its element at an index is the array's element at
// offset + sum of index[i] * stride[i]. A stride of 0 repeats elements, a negative one reverses them. The other side of
// a copy is dense: it holds the elements of the view in row-major order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "elements.h"
#include "opsrun/shape_inference.h"
#include "opsrun/status.h"
#include "opsrun/tensor_shape.h"

namespace array_ops {

// StridedSlice. An entry of its three vectors describes one dimension of the input, or an ellipsis (all dimensions that
// no other entry describes), or a new dimension of size 1.

using opsrun::int64;

struct StridedMasks {
  int64 begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink_axis = 0;

  // From a kernel's construction or a shape function's context.
  template <typename Context>
  opsrun::Status Read(Context* context) {
    TF_RETURN_IF_ERROR(context->GetAttr("begin_mask", &begin));
    TF_RETURN_IF_ERROR(context->GetAttr("end_mask", &end));
    TF_RETURN_IF_ERROR(context->GetAttr("ellipsis_mask", &ellipsis));
    TF_RETURN_IF_ERROR(context->GetAttr("new_axis_mask", &new_axis));
    return context->GetAttr("shrink_axis_mask", &shrink_axis);
  }
};

// The entries for one dimension of the input: which entry it is, or -1 if an ellipsis covers it.
struct SlicedDim {
  int entry = -1;
  bool shrink = false;
};

struct StridedLayout {
  std::vector<SlicedDim> dims;  // of the input
  std::vector<int> final_dims;  // of the output: a dimension of the input, or -1 for a new one
};

// INVALID_ARGUMENT: there are more entries than dimensions, or two ellipses.
opsrun::Status MakeStridedLayout(const StridedMasks& masks, int entries, int rank, StridedLayout* layout);

// The elements begin, begin + stride, ... of a dimension, `count` of them.
struct Progression {
  int64 begin = 0, stride = 1, count = 0;
};

// The values of the vectors. INVALID_ARGUMENT: a stride is 0, or the index of a removed dimension is out of range.
struct StridedValues {
  std::vector<int64> begin, end, strides;

  opsrun::Status Resolve(const StridedMasks& masks, const SlicedDim& dim, int axis, int64 size,
                         Progression* taken) const;
};

// The shape function of StridedSlice, for partly known inputs.

// For an op whose inputs first, first + 1 and first + 2 are begin, end and strides.
opsrun::Status CheckStridedInputs(opsrun::shape_inference::InferenceContext* c, int first);

// Input 0 is sliced; inputs 1 to 3 are begin, end and strides.
opsrun::Status StridedSliceShape(opsrun::shape_inference::InferenceContext* c);

struct ViewDim {
  int64 size = 0, stride = 0;
};

struct View {
  std::vector<ViewDim> dims;
  int64 offset = 0;

  int64 NumElements() const;
  // The same elements in the same order, with the fewest dimensions, but at least one.
  View Simplified() const;
  // Whether the view is all `n` elements of a dense array in order.
  bool IsWhole(int64 n) const;
};

// The view of all elements of a dense array in order.
View WholeView(const opsrun::TensorShape& shape);

// Copies the view of `array` to `dense`, or `dense` to the view of `array`, on the host's threads. Both tensors have
// the same type. Requires: `dense` has as many elements as the view, and the view is inside of the array; for
// CopyToView, its elements are distinct.
struct CpuMoves {
  static opsrun::Status CopyFromView(opsrun::OpKernelContext* context, const View& view, const opsrun::Tensor& array,
                                     opsrun::Tensor* dense);
  static opsrun::Status CopyToView(opsrun::OpKernelContext* context, const View& view, const opsrun::Tensor& dense,
                                   opsrun::Tensor* array);
  // Sets every element to the leading bytes of `value`, up to the element's size. Requires: the tensor holds no
  // strings.
  static opsrun::Status FillWithBytes(opsrun::OpKernelContext* context, const Bytes16& value, opsrun::Tensor* tensor);
  // Zeros, false or empty strings.
  static opsrun::Status FillWithZeros(opsrun::OpKernelContext* context, opsrun::Tensor* tensor);
};

// Kernels that reorder the elements of their input, for any device.
//
// A kernel has two parts: FindView decides which view of the input the output is; Moves copies a view on a device.

// Sets the view of input 0 that makes the output, and the output's shape.
typedef opsrun::Status (*FindView)(opsrun::OpKernelContext* context, View* view, opsrun::TensorShape* shape);
opsrun::Status FindExpandDims(opsrun::OpKernelContext* context, View* view, opsrun::TensorShape* shape);
opsrun::Status FindTranspose(opsrun::OpKernelContext* context, View* view, opsrun::TensorShape* shape);
opsrun::Status FindSlice(opsrun::OpKernelContext* context, View* view, opsrun::TensorShape* shape);
opsrun::Status FindReverse(opsrun::OpKernelContext* context, View* view, opsrun::TensorShape* shape);
opsrun::Status FindReverseV2(opsrun::OpKernelContext* context, View* view, opsrun::TensorShape* shape);
opsrun::Status FindTile(opsrun::OpKernelContext* context, View* view, opsrun::TensorShape* shape);
opsrun::Status FindBroadcastTo(opsrun::OpKernelContext* context, View* view, opsrun::TensorShape* shape);

// Base of the kernels below. Read is called at construction, Find in each call.
template <FindView kFind>
struct PlainView {
  opsrun::Status Read(opsrun::OpKernelConstruction*) { return opsrun::Status::OK(); }
  opsrun::Status Find(opsrun::OpKernelContext* context, View* view, opsrun::TensorShape* shape) const {
    return kFind(context, view, shape);
  }
};
typedef PlainView<FindExpandDims> ExpandDimsView;
typedef PlainView<FindTranspose> TransposeView;
typedef PlainView<FindSlice> SliceView;
typedef PlainView<FindReverse> ReverseView;
typedef PlainView<FindReverseV2> ReverseV2View;
typedef PlainView<FindTile> TileView;
typedef PlainView<FindBroadcastTo> BroadcastToView;
class SqueezeView {
 public:
  opsrun::Status Read(opsrun::OpKernelConstruction* context) { return context->GetAttr("squeeze_dims", &listed_); }
  opsrun::Status Find(opsrun::OpKernelContext* context, View* view, opsrun::TensorShape* shape) const;

 private:
  std::vector<int64> listed_;
};
class StridedSliceView {
 public:
  opsrun::Status Read(opsrun::OpKernelConstruction* context) { return masks_.Read(context); }
  opsrun::Status Find(opsrun::OpKernelContext* context, View* view, opsrun::TensorShape* shape) const;
  // The slice of a tensor of the shape `whole`, for inputs 1 to 3: begin, end and strides.
  opsrun::Status FindIn(const opsrun::TensorShape& whole, opsrun::OpKernelContext* context, View* view,
                        opsrun::TensorShape* shape) const;

 private:
  StridedMasks masks_;
};

// Moves: how a device moves elements, such as CpuMoves of view.h.
template <typename Found, typename Moves>
class ViewOp : public opsrun::OpKernel {
 public:
  explicit ViewOp(opsrun::OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, found_.Read(context));
  }

  void Compute(opsrun::OpKernelContext* context) override {
    const opsrun::Tensor& input = context->input(0);
    View view;
    opsrun::TensorShape shape;
    OP_REQUIRES_OK(context, found_.Find(context, &view, &shape));
    const bool is_whole = view.IsWhole(input.NumElements());
    if (is_whole && shape == input.shape()) return context->set_output(0, input);
    opsrun::Tensor* output = nullptr;
    if (is_whole) {
      int forwarded = -1;
      OP_REQUIRES_OK(context, context->forward_input_or_allocate_output({0}, 0, shape, &output, &forwarded));
      if (forwarded == 0) return;
    } else {
      OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    }
    OP_REQUIRES_OK(context, Moves::CopyFromView(context, view, input, output));
  }

 private:
  Found found_;
};

// Sets *whole to the shape that input 0 holds, and the view to the place of input 4 in a tensor of that shape.
opsrun::Status FindStridedSliceGrad(const StridedSliceView& sliced, opsrun::OpKernelContext* context, View* view,
                                    opsrun::TensorShape* whole);

// Writes the gradient to the positions that the StridedSlice took, and zeros elsewhere.
template <typename Moves>
class StridedSliceGradOp : public opsrun::OpKernel {
 public:
  explicit StridedSliceGradOp(opsrun::OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, sliced_.Read(context));
  }

  void Compute(opsrun::OpKernelContext* context) override {
    View view;
    opsrun::TensorShape whole;
    OP_REQUIRES_OK(context, FindStridedSliceGrad(sliced_, context, &view, &whole));
    opsrun::Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, whole, &output));
    OP_REQUIRES_OK(context, Moves::FillWithZeros(context, output));
    OP_REQUIRES_OK(context, Moves::CopyToView(context, view, context->input(4), output));
  }

 private:
  StridedSliceView sliced_;
};

// Copies the view to `dense` if elements that are adjacent in the view are far apart in the array, and another
// dimension is contiguous in the array. Returns false if it copied nothing. Requires: the view is simplified and has
// elements.
bool CopyTransposed(opsrun::OpKernelContext* context, const View& view, const opsrun::Tensor& array,
                    opsrun::Tensor* dense);

}  // namespace array_ops
