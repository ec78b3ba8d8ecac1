// plugins/median_pool/windows.h: the attrs of MedianPool, and the windows that they define on a shape.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "opsrun/check_shapes.h"
#include "opsrun/op_kernel.h"
#include "opsrun/shape_inference.h"
#include "window.h"

namespace median_pool {

using namespace opsrun;

// Height before width.
struct WindowAttrs {
  int64 size[2] = {1, 1};
  int64 stride[2] = {1, 1};
  bool same = true;
};

// For estimates of time: the number of elements of a window, or a million if there are more.
inline int64 NumbersToRead(const WindowAttrs& attrs) {
  return std::min<int64>(attrs.size[0] * attrs.size[1], 1'000'000);
}

// Reads and checks the attrs, and sets *attrs if they are valid. Context: OpKernelConstruction or InferenceContext.
template <typename Context>
Status GetWindowAttrs(const Context* context, WindowAttrs* attrs);

// The windows on a tensor of this shape. INVALID_ARGUMENT: the shape does not match.
Status WindowsOn(const TensorShape& shape, const WindowAttrs& attrs, Images* images);

// The shape of the medians of an input of this shape.
TensorShape PooledShape(const TensorShape& input, const Images& images);

Status MedianPoolShape(shape_inference::InferenceContext* c);

// Checks the values that GetWindowAttrs has read.
Status MakeWindowAttrs(const std::vector<int64>& ksize, const std::vector<int64>& strides, const std::string& padding,
                       WindowAttrs* attrs);

template <typename Context>
Status GetWindowAttrs(const Context* context, WindowAttrs* attrs) {
  std::vector<int64> ksize, strides;
  std::string padding;
  TF_RETURN_IF_ERROR(context->GetAttr("ksize", &ksize));
  TF_RETURN_IF_ERROR(context->GetAttr("strides", &strides));
  TF_RETURN_IF_ERROR(context->GetAttr("padding", &padding));
  return MakeWindowAttrs(ksize, strides, padding, attrs);
}

// Base of the kernels.
class WindowKernel : public OpKernel {
 public:
  explicit WindowKernel(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, GetWindowAttrs(context, &attrs_));
  }

 protected:
  WindowAttrs attrs_;
};

// The kernel of MedianPool, for any device. Finder is constructed from the attrs; Run(context, images, in, out) fills
// `out`, which has elements.
template <typename T, typename Finder>
class MedianPoolOp : public WindowKernel {
 public:
  explicit MedianPoolOp(OpKernelConstruction* context) : WindowKernel(context), finder_(attrs_) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    Images images;
    OP_REQUIRES_OK(context, WindowsOn(input.shape(), attrs_, &images));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, PooledShape(input.shape(), images), &output));
    if (output->NumElements() == 0) return;
    OP_REQUIRES_OK(context, finder_.Run(context, images, input.flat<T>().data(), output->flat<T>().data()));
  }

 private:
  const Finder finder_;
};

// The kernels of MedianPoolGrad and, if kSecond, MedianPoolGradGrad. kCompute fills the output, which has elements;
// there are windows.
template <Status (*kCompute)(OpKernelContext*, const Images&, const WindowAttrs&, const float* in, const float* grad,
                             Tensor* output),
          bool kSecond>
class MedianGradOp : public WindowKernel {
 public:
  using WindowKernel::WindowKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor &input = context->input(0), &grad = context->input(1);
    Images images;
    OP_REQUIRES_OK(context, WindowsOn(input.shape(), attrs_, &images));
    const TensorShape whole = input.shape(), pooled = PooledShape(whole, images);
    OP_REQUIRES_OK(
        context, kSecond ? CheckShape(grad.shape(), "grad", whole, "input") : CheckShape(grad.shape(), "grad", pooled));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, kSecond ? pooled : whole, &output));
    if (output->NumElements() == 0) return;
    OP_REQUIRES_OK(context,
                   kCompute(context, images, attrs_, input.flat<float>().data(), grad.flat<float>().data(), output));
  }
};

}  // namespace median_pool
