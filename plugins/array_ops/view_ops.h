// plugins/array_ops/view_ops.h: kernels that put elements of their input into another order, for any device.
//
// A kernel is made of two parts: what the output is, a view of the input, and how a device copies one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "strided_slice.h"
#include "view.h"

namespace array_ops {

// Which view of input 0 the output is, and in which shape.
typedef opsrun::Status (*FindView)(opsrun::OpKernelContext* context, View* view, opsrun::TensorShape* shape);
opsrun::Status FindExpandDims(opsrun::OpKernelContext* context, View* view, opsrun::TensorShape* shape);
opsrun::Status FindTranspose(opsrun::OpKernelContext* context, View* view, opsrun::TensorShape* shape);
opsrun::Status FindSlice(opsrun::OpKernelContext* context, View* view, opsrun::TensorShape* shape);
opsrun::Status FindReverse(opsrun::OpKernelContext* context, View* view, opsrun::TensorShape* shape);
opsrun::Status FindReverseV2(opsrun::OpKernelContext* context, View* view, opsrun::TensorShape* shape);
opsrun::Status FindTile(opsrun::OpKernelContext* context, View* view, opsrun::TensorShape* shape);
opsrun::Status FindBroadcastTo(opsrun::OpKernelContext* context, View* view, opsrun::TensorShape* shape);

// What the kernels below are made of. Read is called at construction, Find in each call.
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

// *whole is the shape that input 0 holds, and the view is where input 4 goes in a tensor of that shape.
opsrun::Status FindStridedSliceGrad(const StridedSliceView& sliced, opsrun::OpKernelContext* context, View* view,
                                    opsrun::TensorShape* whole);

// Zeros, with the gradient of a StridedSlice where that would take elements from.
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

}  // namespace array_ops
