// plugins/median_pool/windows.h: the attrs of MedianPool, and the windows that they define on a shape.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "opsrun/op_kernel.h"
#include "opsrun/shape_inference.h"
#include "window.h"

namespace median_pool {

// Height before width.
struct WindowAttrs {
  opsrun::int64 size[2] = {1, 1};
  opsrun::int64 stride[2] = {1, 1};
  bool same = true;
};

// Reads and checks the attrs. Context: OpKernelConstruction or InferenceContext.
template <typename Context>
opsrun::Status GetWindowAttrs(const Context* context, WindowAttrs* attrs);

// The windows on a tensor of this shape. INVALID_ARGUMENT: the shape does not match.
opsrun::Status WindowsOn(const opsrun::TensorShape& shape, const WindowAttrs& attrs, Images* images);

// The shape of the medians of an input of this shape.
opsrun::TensorShape PooledShape(const opsrun::TensorShape& input, const Images& images);

opsrun::Status MedianPoolShape(opsrun::shape_inference::InferenceContext* c);

// Checks the values that GetWindowAttrs has read.
opsrun::Status MakeWindowAttrs(const std::vector<opsrun::int64>& ksize, const std::vector<opsrun::int64>& strides,
                               const std::string& padding, WindowAttrs* attrs);

// [get-attrs]
template <typename Context>
opsrun::Status GetWindowAttrs(const Context* context, WindowAttrs* attrs) {
  std::vector<opsrun::int64> ksize, strides;
  std::string padding;
  TF_RETURN_IF_ERROR(context->GetAttr("ksize", &ksize));
  TF_RETURN_IF_ERROR(context->GetAttr("strides", &strides));
  TF_RETURN_IF_ERROR(context->GetAttr("padding", &padding));
  return MakeWindowAttrs(ksize, strides, padding, attrs);
}
// [/get-attrs]

// The kernel of MedianPool, for any device.
//
// Finder: how a device finds medians. It is constructed from the attrs; Run(context, images, in, out) fills an output
// that has elements.

template <typename T, typename Finder>
class MedianPoolOp : public opsrun::OpKernel {
 public:
  explicit MedianPoolOp(opsrun::OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, GetWindowAttrs(context, &attrs_));
    finder_ = Finder(attrs_);
  }

  void Compute(opsrun::OpKernelContext* context) override {
    const opsrun::Tensor& input = context->input(0);
    Images images;
    OP_REQUIRES_OK(context, WindowsOn(input.shape(), attrs_, &images));
    opsrun::Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, PooledShape(input.shape(), images), &output));
    if (output->NumElements() == 0) return;
    OP_REQUIRES_OK(context, finder_.Run(context, images, input.flat<T>().data(), output->flat<T>().data()));
  }

 private:
  WindowAttrs attrs_;
  Finder finder_;
};

}  // namespace median_pool
