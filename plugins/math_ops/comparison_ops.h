// plugins/math_ops/comparison_ops.h: what Equal and NotEqual do with shapes that cannot be broadcast together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "broadcast.h"

namespace math_ops {

// A kernel that compares elements. If shapes cannot be broadcast, it reports an error or, if the attr allows it,
// outputs kDiffers.
template <typename Kernel, bool kDiffers = false>
class EqualOp : public Kernel {
 public:
  explicit EqualOp(opsrun::OpKernelConstruction* context) : Kernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("incompatible_shape_error", &is_error_));
  }

  void Compute(opsrun::OpKernelContext* context) override {
    if (is_error_ || Broadcast::Fits(context->input(0).shape(), context->input(1).shape()))
      return Kernel::Compute(context);
    opsrun::Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {}, &output));
    output->scalar<bool>()() = kDiffers;
  }

 private:
  bool is_error_ = true;
};

}  // namespace math_ops
