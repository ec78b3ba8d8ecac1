// plugins/math_ops/reduce_kernel.h: what reductions on all devices have in common.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/op_kernel.h"
#include "types.h"

namespace math_ops {

// A kernel with the inputs `input` and `reduction_indices`, and the attr keep_dims.
class ReduceKernel : public opsrun::OpKernel {
 public:
  explicit ReduceKernel(opsrun::OpKernelConstruction* context);
  void Compute(opsrun::OpKernelContext* context) override;

 protected:
  // Whether one element gives itself, so that the output is the input if nothing is reduced.
  virtual bool OneGivesItself() const { return true; }
  // Called before the reduction; `count` elements make one.
  virtual opsrun::Status CheckCount(int64 /*count*/, int64 /*outputs*/) const { return opsrun::Status::OK(); }
  // Writes the elements of `output`: what the elements of `input` along the reduced dimensions give. reduced[i] is
  // whether dimension i goes away. Requires: `output` has as many elements as the other dimensions.
  virtual opsrun::Status Run(opsrun::OpKernelContext* context, const opsrun::Tensor& input, const bool* reduced,
                             opsrun::Tensor* output) const = 0;

 private:
  bool keep_dims_ = false;
};

}  // namespace math_ops
