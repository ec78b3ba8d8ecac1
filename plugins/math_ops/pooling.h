// plugins/math_ops/pooling.h: the kernels of MaxPool, AvgPool and their gradients, on any device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "images.h"
#include "opsrun/check_shapes.h"

namespace math_ops {

typedef Join<Floats, TypeList<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t>> MaxPoolTypes;
#define MATH_OPS_MAX_POOL_TYPES MATH_OPS_FLOATS ", int8, int16, int32, int64, uint8, uint16"

// Whether x replaces `largest`, which was found before it: NaN is larger than every number.
template <typename T>
constexpr bool IsLarger(T x, T largest) {
  return !(static_cast<Wide<T>>(x) <= static_cast<Wide<T>>(largest)) && largest == largest;
}

// At most as large as every pixel.
template <typename T>
constexpr T Smallest() {
  if constexpr (std::is_integral_v<T>) return std::numeric_limits<T>::lowest();
  return static_cast<T>(-std::numeric_limits<float>::infinity());
}

// Kernels on a device. The base of an op's kernel there has:
//   Loop: computes the output from one tensor or, for a gradient, from two;
//   Kernel(context, loop, pixels): pixels: how many pixels of windows the loop processes in a nanosecond;
//   ComputeParts(context, images, parts, in, grad, shape): allocates the output and computes it, with all its parts.

// Computes one part of the output: a row of windows, counted through all images, or a part of ImageParts. `grad` is
// NULL unless the op is a gradient with two tensors.
typedef void (*PoolLoop)(const ImageWindows& images, const void* in, const void* grad, int64 part, void* out);

class CpuPoolKernel : public OpKernel {
 public:
  typedef PoolLoop Loop;
  // pixels: how many pixels of windows the loop processes in a nanosecond.
  CpuPoolKernel(OpKernelConstruction* context, Loop loop, int64 pixels = 1)
      : OpKernel(context), loop_(loop), pixels_(pixels) {
    OP_REQUIRES_OK(context, GetImageAttrs(context, &attrs_));
  }

 protected:
  const ImageAttrs& attrs() const { return attrs_; }
  // Allocates the output, and runs the loop for each part.
  void ComputeParts(OpKernelContext* context, const ImageWindows& images, int64 parts, const Tensor& in,
                    const void* grad, const TensorShape& shape) const;

 private:
  const PoolLoop loop_;
  const int64 pixels_;
  ImageAttrs attrs_;
};

// MaxPool or AvgPool. Loops::kInput blames its input.
template <typename Loops, typename Types, typename Kernel>
class PoolOp : public Kernel {
 public:
  explicit PoolOp(OpKernelConstruction* context)
      : Kernel(context, LoopFor<Loops>(context->input_type(0), Types()), Loops::kPixels) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ImageWindows images;
    TensorShape pooled;
    OP_REQUIRES_OK(context, MakePooling(this->attrs(), input.shape(), &images, &pooled).Blame(Loops::kInput));
    this->ComputeParts(context, images, images.batch * images.y.windows, input, nullptr, pooled);
  }
};

template <typename Loops, typename Kernel>
class AvgPoolGradOp : public Kernel {
 public:
  explicit AvgPoolGradOp(OpKernelConstruction* context)
      : Kernel(context, LoopFor<Loops>(context->input_type(1), Floats())) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& grad = context->input(1);
    TensorShape shape, pooled;
    OP_REQUIRES_OK(context, ReadImageSizes(context->input(0), "orig_input_shape", &shape));
    ImageWindows images;
    OP_REQUIRES_OK(context, MakePooling(this->attrs(), shape, &images, &pooled).Blame("input:orig_input_shape"));
    OP_REQUIRES_OK(context, CheckShape(grad.shape(), "grad", pooled, "the output of AvgPool"));
    this->ComputeParts(context, images, ImageParts(images).count, grad, nullptr, shape);
  }
};

// kGathers: MaxPoolGradGrad; otherwise MaxPoolGrad.
template <bool kGathers, typename Loops, typename Kernel>
class MaxPoolGradOp : public Kernel {
 public:
  explicit MaxPoolGradOp(OpKernelConstruction* context)
      : Kernel(context, LoopFor<Loops>(context->input_type(0), MaxPoolTypes())) {}

  void Compute(OpKernelContext* context) override {
    const Tensor &input = context->input(0), &grad = context->input(2);
    ImageWindows images;
    TensorShape pooled;
    OP_REQUIRES_OK(context, MakePooling(this->attrs(), input.shape(), &images, &pooled).Blame("input:orig_input"));
    OP_REQUIRES_OK(context, CheckShape(context->input(1).shape(), "orig_output", pooled, "the output of MaxPool"));
    OP_REQUIRES_OK(context, kGathers ? CheckShape(grad.shape(), "grad", input.shape(), "the input of MaxPool")
                                     : CheckShape(grad.shape(), "grad", pooled, "the output of MaxPool"));
    const int64 parts = kGathers ? images.batch * images.y.windows : ImageParts(images).count;
    this->ComputeParts(context, images, parts, input, grad.data(), kGathers ? pooled : input.shape());
  }
};

}  // namespace math_ops
