// plugins/math_ops/shape_rules.h: kernels of two tensors that do more than broadcast their shapes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "broadcast.h"
#include "opsrun/check_shapes.h"

namespace math_ops {

// Writes a scalar on the kernel's device.
typedef Status (*WriteBool)(OpKernelContext* context, bool value, Tensor* output);
inline Status WriteBoolOnCpu(OpKernelContext* /*context*/, bool value, Tensor* output) {
  output->scalar<bool>()() = value;
  return Status::OK();
}

// A kernel that compares elements. If shapes cannot be broadcast, it reports an error or, if the attr allows it,
// outputs kDiffers.
template <typename Kernel, bool kDiffers, WriteBool kWrite = WriteBoolOnCpu>
class EqualOp : public Kernel {
 public:
  explicit EqualOp(OpKernelConstruction* context) : Kernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("incompatible_shape_error", &is_error_));
  }

  void Compute(OpKernelContext* context) override {
    if (is_error_ || Broadcast::Fits(context->input(0).shape(), context->input(1).shape()))
      return Kernel::Compute(context);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {}, &output));
    OP_REQUIRES_OK(context, kWrite(context, kDiffers, output));
  }

 private:
  bool is_error_ = true;
};

// A binary kernel for gradients and features, which must have the same shape: broadcasting is an error.
template <typename Kernel>
class OfGradients : public Kernel {
 public:
  using Kernel::Kernel;

  void Compute(OpKernelContext* context) override {
    const Tensor &gradients = context->input(0), &features = context->input(1);
    OP_REQUIRES_OK(context, CheckShape(gradients.shape(), "gradients", features.shape(), "features"));
    Kernel::Compute(context);
  }
};

}  // namespace math_ops
