// plugins/median_pool/median_pool_kernel.h: the kernel of MedianPool, for any device.
//
// Finder: how a device finds medians. It is made of the attrs; Run(context, images, in, out) fills an output that has
// elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/op_kernel.h"
#include "windows.h"

namespace median_pool {

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
