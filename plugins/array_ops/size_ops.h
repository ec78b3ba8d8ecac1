// plugins/array_ops/size_ops.h: the kernels of Size and Rank, for any device: they do not read elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "opsrun/op_kernel.h"

namespace array_ops {

template <typename Int>
class SizeOp : public opsrun::OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(opsrun::OpKernelContext* context) override {
    const opsrun::int64 n = context->input(0).NumElements();
    OP_REQUIRES(
        context, n <= std::numeric_limits<Int>::max(),
        opsrun::errors::InvalidArgument("input has ", n, " elements, more than int32 can hold; set out_type: int64")
            .Blame("attr:out_type"));
    opsrun::Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, opsrun::TensorShape(), &output));
    output->scalar<Int>()() = static_cast<Int>(n);
  }
};

class RankOp : public opsrun::OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(opsrun::OpKernelContext* context) override {
    opsrun::Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, opsrun::TensorShape(), &output));
    output->scalar<opsrun::int32>()() = context->input(0).dims();
  }
};

}  // namespace array_ops
