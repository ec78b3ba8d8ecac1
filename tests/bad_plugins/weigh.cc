// tests/bad_plugins/weigh.cc: the ops of docs/debug_an_op.md, with the mistakes that it finds.
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "opsrun/opsrun.h"

using namespace opsrun;

REGISTER_OP("Weigh")
    .Input("x: float")
    .Output("y: float")
    .Attr("weights: list(float) = []")
    .SetShapeFn(shape_inference::UnchangedShape);

// [weigh]
class WeighOp : public OpKernel {
 public:
  explicit WeighOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("weights", &weights_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &y));
    const auto in = x.flat<float>();
    auto out = y->flat<float>();
    for (int64_t i = 0; i < in.size(); ++i) out(i) = in(i)*Weight(i);
  }

 private:
  float Weight(int64_t i) const { return weights_.data()[i]; }

  std::vector<float> weights_;
};
// [/weigh]
REGISTER_KERNEL_BUILDER(Name("Weigh").Device(DEVICE_CPU), WeighOp);

REGISTER_OP("Steps").Attr("step: float").Output("y: float").SetShapeFn(shape_inference::ScalarShape);

class StepsOp : public OpKernel {
 public:
  explicit StepsOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("step", &step_));
  }

  void Compute(OpKernelContext* context) override {
    Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({}), &y));
    // [steps]
    float sum = 0;
    for (float at = 0; at != 1.0f; at += step_) sum += at;
    // [/steps]
    y->scalar<float>()() = sum;
  }

 private:
  float step_ = 0;
};
REGISTER_KERNEL_BUILDER(Name("Steps").Device(DEVICE_CPU), StepsOp);
