// tests/bad_plugins/weigh.cc: the ops of docs/debug_an_op.md, with the mistakes that it finds.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
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

REGISTER_OP("Smooth").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);

class SmoothOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &y));
    const auto in = x.flat<float>();
    auto out = y->flat<float>();
    // [smooth]
    for (int64_t i = 1; i < in.size() - 1; ++i) out(i) = (in(i - 1) + in(i) + in(i + 1)) / 3;
    // [/smooth]
  }
};
REGISTER_KERNEL_BUILDER(Name("Smooth").Device(DEVICE_CPU), SmoothOp);

REGISTER_OP("Spread").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);

class SpreadOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &y));
    const auto in = x.flat<float>();
    auto out = y->flat<float>();
    // [spread]
    const auto [least, most] = std::minmax_element(in.data(), in.data() + in.size());
    for (int64_t i = 0; i < in.size(); ++i) out(i) = (in(i) - *least) / (*most - *least);
    // [/spread]
  }
};
REGISTER_KERNEL_BUILDER(Name("Spread").Device(DEVICE_CPU), SpreadOp);

REGISTER_OP("Last")
    .Input("x: float")
    .Output("before: float")
    .SetIsStateful()
    .SetShapeFn(shape_inference::UnchangedShape);

// [last]
class LastOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor* before = last_.exchange(new Tensor(context->input(0)));
    context->set_output(0, before == nullptr ? context->input(0) : *before);
  }

 private:
  std::atomic<const Tensor*> last_ = nullptr;
};
// [/last]
REGISTER_KERNEL_BUILDER(Name("Last").Device(DEVICE_CPU), LastOp);
