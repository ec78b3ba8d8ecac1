// tests/sdk/plugins/bare.cc: a plugin whose class has the same name as another plugin's, but another result.
// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"

REGISTER_OP("Answer").Output("answer: int32");

class AnswerOp : public tensorflow::OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(tensorflow::OpKernelContext* context) override {
    tensorflow::Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {}, &output));
    output->scalar<tensorflow::int32>()() = ANSWER;
  }
};

REGISTER_KERNEL_BUILDER(Name("Answer").Device(tensorflow::DEVICE_CPU), AnswerOp);
