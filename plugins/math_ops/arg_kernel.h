// plugins/math_ops/arg_kernel.h: what ArgMax and ArgMin on all devices have in common.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/op_kernel.h"
#include "types.h"

namespace math_ops {

// A kernel with the inputs `input` and `dimension`, the second in CPU memory.
class ArgKernel : public opsrun::OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(opsrun::OpKernelContext* context) override;

 protected:
  // Writes the indices of the best elements along the axis. Requires: the output has elements, the axis has some, and
  // the type of the output can count them.
  virtual opsrun::Status Search(opsrun::OpKernelContext* context, const opsrun::Tensor& input, int axis,
                                opsrun::Tensor* output) const = 0;

 private:
  opsrun::Status CheckSize(int64 size) const;
};

}  // namespace math_ops
