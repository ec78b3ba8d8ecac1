// my_ops/huber.cc: a loss that large errors do not dominate.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"

using namespace opsrun;

REGISTER_OP("Huber")
    .Attr("T: {float, double}")
    .Attr("delta: float = 1.0")
    .Input("error: T")
    .Output("loss: T")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Gradient(R"yaml(
feeds:
  upper: {value: {attr: delta}, dtype: {attr: T}}
nodes:
  lower: {op: Neg, in: upper}
  below: {op: Minimum, in: [error, upper]}
  slope: {op: Maximum, in: [below, lower]}
  result: {op: Mul, in: [grad.loss, slope]}
outputs: {error: result}
)yaml")
    .Doc(R"doc(
The Huber loss of each error: half of its square up to delta, and linear beyond.

error: what was predicted, less what is true.
loss: the loss of each error.
delta: from where on it is linear.
)doc");

template <typename T>
class HuberOp : public OpKernel {
 public:
  explicit HuberOp(OpKernelConstruction* context) : OpKernel(context) {
    float delta = 0;
    OP_REQUIRES_OK(context, context->GetAttr("delta", &delta));
    OP_REQUIRES(context, delta > 0, errors::InvalidArgument("delta must be above 0, not ", delta));
    delta_ = static_cast<T>(delta);
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, input.shape(), &output));
    const auto error = input.flat<T>();
    auto loss = output->flat<T>();
    for (int64 i = 0; i < error.size(); ++i) {
      const T size = std::abs(error(i));
      loss(i) = size <= delta_ ? error(i) * error(i) / 2 : delta_ * (size - delta_ / 2);
    }
  }

 private:
  T delta_ = 0;
};

REGISTER_KERNEL_BUILDER(Name("Huber").Device(DEVICE_CPU).TypeConstraint<float>("T"), HuberOp<float>);
REGISTER_KERNEL_BUILDER(Name("Huber").Device(DEVICE_CPU).TypeConstraint<double>("T"), HuberOp<double>);
