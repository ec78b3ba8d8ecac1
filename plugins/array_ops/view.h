// plugins/array_ops/view.h: the elements of an array in another order: the loop of Slice, Reverse, Transpose, Tile etc.
//
// A view is a list of dimensions, the outermost first. Its element at an index is the array's at offset + sum of
// index[i] * stride[i]. The other side of a copy is dense: it has the elements of the view in row-major order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elements.h"
#include "opsrun/shape_inference.h"

namespace array_ops {

using namespace opsrun;

// StridedSlice. An entry of its vectors is for a dimension of the input, for all that have no other, or a new one.

struct StridedMasks {
  int64 begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink_axis = 0;

  // From a kernel's construction or a shape function's context.
  template <typename Context>
  Status Read(Context* context) {
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
Status MakeStridedLayout(const StridedMasks& masks, int entries, int rank, StridedLayout* layout);

// The elements begin, begin + stride, ... of a dimension, `count` of them.
struct Progression {
  int64 begin = 0, stride = 1, count = 0;
};

// The values of the vectors. INVALID_ARGUMENT: a stride is 0, or the index of a removed dimension is out of range.
struct StridedValues {
  std::vector<int64> begin, end, strides;

  Status Resolve(const StridedMasks& masks, const SlicedDim& dim, int axis, int64 size, Progression* taken) const;
};

// For an op whose inputs first, first + 1 and first + 2 are begin, end and strides.
Status CheckStridedInputs(shape_inference::InferenceContext* c, int first);

// Input 0 is sliced; inputs 1 to 3 are begin, end and strides.
Status StridedSliceShape(shape_inference::InferenceContext* c);

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
View WholeView(const TensorShape& shape);

// Copies the view of `array` to `dense`, or back, on the host's threads. Requires: equal types and numbers of elements,
// and the view is inside of the array; for CopyToView, its elements are distinct.
struct CpuMoves {
  static Status CopyFromView(OpKernelContext* context, const View& view, const Tensor& array, Tensor* dense);
  static Status CopyToView(OpKernelContext* context, const View& view, const Tensor& dense, Tensor* array);
  // Sets every element to the leading bytes of `value`. Requires: the tensor holds no strings.
  static Status FillWithBytes(OpKernelContext* context, const Bytes16& value, Tensor* tensor);
  // Zeros, false or empty strings.
  static Status FillWithZeros(OpKernelContext* context, Tensor* tensor);
};

// A kernel that reorders its input has two parts: which view of the input the output is, and how a device copies it.

// Sets the view of input 0 that makes the output, and the output's shape.
typedef Status (*FindView)(OpKernelContext* context, View* view, TensorShape* shape);
Status FindExpandDims(OpKernelContext* context, View* view, TensorShape* shape);
Status FindTranspose(OpKernelContext* context, View* view, TensorShape* shape);
Status FindSlice(OpKernelContext* context, View* view, TensorShape* shape);
Status FindReverse(OpKernelContext* context, View* view, TensorShape* shape);
Status FindReverseV2(OpKernelContext* context, View* view, TensorShape* shape);
Status FindTile(OpKernelContext* context, View* view, TensorShape* shape);
Status FindBroadcastTo(OpKernelContext* context, View* view, TensorShape* shape);

// How a kernel finds its view. Read is called at construction, Find in each call.
template <FindView kFind>
struct PlainView {
  Status Read(OpKernelConstruction*) { return Status::OK(); }
  Status Find(OpKernelContext* context, View* view, TensorShape* shape) const { return kFind(context, view, shape); }
};
class SqueezeView {
 public:
  Status Read(OpKernelConstruction* context) { return context->GetAttr("squeeze_dims", &listed_); }
  Status Find(OpKernelContext* context, View* view, TensorShape* shape) const;

 private:
  std::vector<int64> listed_;
};
class StridedSliceView {
 public:
  Status Read(OpKernelConstruction* context) { return masks_.Read(context); }
  Status Find(OpKernelContext* context, View* view, TensorShape* shape) const;
  // The slice of a tensor of the shape `whole`, for inputs 1 to 3: begin, end and strides.
  Status FindIn(const TensorShape& whole, OpKernelContext* context, View* view, TensorShape* shape) const;

 private:
  StridedMasks masks_;
};

// Moves: how a device moves elements, such as CpuMoves. Found: PlainView, SqueezeView or StridedSliceView.
template <typename Found, typename Moves>
class ViewOp : public OpKernel {
 public:
  explicit ViewOp(OpKernelConstruction* context) : OpKernel(context) { OP_REQUIRES_OK(context, found_.Read(context)); }

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    View view;
    TensorShape shape;
    OP_REQUIRES_OK(context, found_.Find(context, &view, &shape));
    const bool is_whole = view.IsWhole(input.NumElements());
    if (is_whole && shape == input.shape()) return context->set_output(0, input);
    Tensor* output = nullptr;
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
Status FindStridedSliceGrad(const StridedSliceView& sliced, OpKernelContext* context, View* view, TensorShape* whole);

// Writes the gradient to the positions that the StridedSlice took, and zeros elsewhere.
template <typename Moves>
class StridedSliceGradOp : public OpKernel {
 public:
  explicit StridedSliceGradOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, sliced_.Read(context));
  }

  void Compute(OpKernelContext* context) override {
    View view;
    TensorShape whole;
    OP_REQUIRES_OK(context, FindStridedSliceGrad(sliced_, context, &view, &whole));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, whole, &output));
    OP_REQUIRES_OK(context, Moves::FillWithZeros(context, output));
    OP_REQUIRES_OK(context, Moves::CopyToView(context, view, context->input(4), output));
  }

 private:
  StridedSliceView sliced_;
};

// Copies the view to `dense` if neighbours in it are far apart in the array, and another dimension is contiguous there;
// else returns false. Requires: the view is simplified and has elements.
bool CopyTransposed(OpKernelContext* context, const View& view, const Tensor& array, Tensor* dense);

}  // namespace array_ops
