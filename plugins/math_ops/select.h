// plugins/math_ops/select.h: kernels that take each element from one of two tensors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/op_kernel.h"
#include "types.h"

namespace math_ops {

// Inputs are condition, t and e; any elements of a fixed size.
class SelectKernel : public opsrun::OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(opsrun::OpKernelContext* context) override;

 protected:
  // The shape in which the condition is broadcast with t and e; it has as many elements as its own.
  virtual opsrun::Status ConditionShape(opsrun::OpKernelContext* context, opsrun::TensorShape* shape) const = 0;
};

}  // namespace math_ops
