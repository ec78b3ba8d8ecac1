// plugins/array_ops/identity_ops.h: the kernel of Identity and StopGradient, for any device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/op_kernel.h"

namespace array_ops {

// Output 0 is input 0.
inline void PassOn(opsrun::OpKernelContext* context) {
  const opsrun::Tensor& input = context->input(0);
  opsrun::Tensor* output = nullptr;
  if (!context->forward_input_to_output_with_shape(0, 0, input.shape(), &output)) context->set_output(0, input);
}

class IdentityOp : public opsrun::OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(opsrun::OpKernelContext* context) override { PassOn(context); }
};

}  // namespace array_ops
