// plugins/math_ops/conv2d_ops.h: the kernels of Conv2D and its gradients, on any device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "images.h"
#include "opsrun/check_shapes.h"

namespace math_ops {

// What computes on a device: ConvLoops::For(task, type) gives a loop, and Clear(context, output) sets all to zero.
struct CpuConvLoops {
  static ConvLoop For(ConvTask task, DataType type) { return CpuConvLoop(task, type); }
  static Status Clear(OpKernelContext* /*context*/, Tensor* output) {
    std::memset(output->data(), 0, static_cast<size_t>(output->NumElements() * DataTypeSize(output->dtype())));
    return Status::OK();
  }
};

// The base of the three kernels.
template <typename ConvLoops>
class ConvKernel : public OpKernel {
 public:
  ConvKernel(OpKernelConstruction* context, ConvTask task, int typed_input)
      : OpKernel(context), loop_(ConvLoops::For(task, context->input_type(typed_input))) {
    OP_REQUIRES_OK(context, GetImageAttrs(context, &attrs_));
  }

 protected:
  const ImageAttrs& attrs() const { return attrs_; }
  // Computes the output, from x and y as defined for ConvLoop.
  void Multiply(OpKernelContext* context, const Convolution& convolution, const Tensor& x, const Tensor& y,
                const TensorShape& shape) {
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    if (output->NumElements() == 0) return;
    if (x.NumElements() == 0 || y.NumElements() == 0) {  // the other sizes may be too large for the loops
      OP_REQUIRES_OK(context, ConvLoops::Clear(context, output));
    } else {
      OP_REQUIRES_OK(context, loop_(context, convolution, x.data(), y.data(), output->data()));
    }
  }

 private:
  const ConvLoop loop_;
  ImageAttrs attrs_;
};

template <typename ConvLoops>
class Conv2DOp : public ConvKernel<ConvLoops> {
 public:
  explicit Conv2DOp(OpKernelConstruction* context) : ConvKernel<ConvLoops>(context, ConvTask::kConvolve, 0) {}

  void Compute(OpKernelContext* context) override {
    const Tensor &input = context->input(0), &filter = context->input(1);
    Convolution convolution;
    OP_REQUIRES_OK(
        context,
        MakeConvolution(this->attrs(), input.shape(), filter.shape(), &convolution).Blame("input:input input:filter"));
    this->Multiply(context, convolution, input, filter, convolution.OutputShape());
  }
};

// Input kSizes, in CPU memory, holds the sizes of the output; the other of the first two inputs is multiplied with the
// gradient.
template <int kSizes, typename ConvLoops>
class Conv2DBackpropOp : public ConvKernel<ConvLoops> {
 public:
  explicit Conv2DBackpropOp(OpKernelConstruction* context)
      : ConvKernel<ConvLoops>(context, kSizes == 0 ? ConvTask::kBackToImages : ConvTask::kBackToFilter, 1 - kSizes) {}

  void Compute(OpKernelContext* context) override {
    constexpr const char* kName = kSizes == 0 ? "input_sizes" : "filter_sizes";
    constexpr const char* kSubjects = kSizes == 0 ? "input:input_sizes input:filter" : "input:input input:filter_sizes";
    const Tensor &factor = context->input(1 - kSizes), &gradient = context->input(2);
    TensorShape shape;
    if (kSizes == 0 && context->input(0).shape() == TensorShape({2}) && factor.dims() == 4 && gradient.dims() == 4) {
      const auto sides = context->input(0).vec<int32>();
      OP_REQUIRES_OK(context,
                     TensorShapeUtils::MakeShape(
                         std::vector<int64>{gradient.dim_size(0), sides(0), sides(1), factor.dim_size(2)}, &shape)
                         .Blame("input:input_sizes"));
    } else {
      OP_REQUIRES_OK(context, ReadImageSizes(context->input(kSizes), kName, &shape));
    }
    const TensorShape &images = kSizes == 0 ? shape : factor.shape(), &filter = kSizes == 0 ? factor.shape() : shape;
    Convolution convolution;
    OP_REQUIRES_OK(context, MakeConvolution(this->attrs(), images, filter, &convolution).Blame(kSubjects));
    OP_REQUIRES_OK(context,
                   CheckShape(gradient.shape(), "out_backprop", convolution.OutputShape(), "the convolved images"));
    this->Multiply(context, convolution, factor, gradient, shape);
  }
};

}  // namespace math_ops
