// What someone who has never seen our tree may write: an op of their own, against an installed opsrun.
// SPDX-License-Identifier: Apache-2.0
// [plugin]
#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"

using namespace opsrun;

REGISTER_OP("Countdown")
    .Input("numbers: int32")
    .Output("one_less: int32")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("Takes one from every number.");

class CountdownOp : public OpKernel {
 public:
  explicit CountdownOp(OpKernelConstruction* context) : OpKernel(context) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& numbers = context->input(0);
    Tensor* one_less = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, numbers.shape(), &one_less));
    const auto in = numbers.flat<int32>();
    auto out = one_less->flat<int32>();
    for (int64 i = 0; i < in.size(); ++i) out(i) = in(i)-1;
  }
};

REGISTER_KERNEL_BUILDER(Name("Countdown").Device(DEVICE_CPU), CountdownOp);
// [/plugin]
