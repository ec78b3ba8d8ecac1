// tests/sdk/plugins/opsrun_door.cc: the kernel of the op in tensorflow_door.cc.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/opsrun.h"

namespace {

class AnswerOp : public opsrun::OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(opsrun::OpKernelContext* context) override {
    opsrun::Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {}, &output));
    output->scalar<opsrun::int32>()() = 3;
  }
};

}  // namespace

REGISTER_KERNEL_BUILDER(Name("Answer").Device(opsrun::DEVICE_CPU), AnswerOp);
