// my_op.cc: the op MyOp, with its shape function, gradient and kernel.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

// [opsrun]
#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/plugin.h"

// [notes]
OPSRUN_PLUGIN("my_op", "0.1.0");
OPSRUN_PLUGIN_META("Apache-2.0", "", "Multiplies tensors by a factor");
// [/notes]
// [/opsrun]
// [tensorflow]
#include "absl/status/status.h"
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"

#if __has_include("opsrun/plugin.h")  // not where it is built for TensorFlow itself
#include "opsrun/plugin.h"

OPSRUN_PLUGIN("my_op", "0.1.0");
OPSRUN_PLUGIN_META("Apache-2.0", "", "Multiplies tensors by a factor");
#endif
// [/tensorflow]

namespace {

// [opsrun]
using namespace opsrun;
// [/opsrun]
// [tensorflow]
using namespace tensorflow;
// [/tensorflow]

REGISTER_OP("MyOp")
    .Attr("T: {float, double}")
    .Attr("factor: float = 2.0")
    .Input("x: T")
    .Output("y: T")
    .SetShapeFn(shape_inference::UnchangedShape)
    // [opsrun]
    .Broadcasts("()->()")
    .Gradient(R"yaml(
nodes:
  dx: {op: MyOp, in: grad.y, attrs: {factor: {attr: factor}}}
outputs: {x: dx}
)yaml")
    // [/opsrun]
    .Doc(R"doc(
Multiplies every element by a factor.

x: A tensor of any shape.
y: A tensor of the same shape.
factor: What the elements are multiplied by.
)doc");

template <typename T>
class MyOpKernel : public OpKernel {
 public:
  explicit MyOpKernel(OpKernelConstruction* context) : OpKernel(context) {
    float factor = 0;
    OP_REQUIRES_OK(context, context->GetAttr("factor", &factor));
    // [opsrun]
    OP_REQUIRES(context, std::isfinite(factor), errors::InvalidArgument("factor must be finite, got ", factor));
    // [/opsrun]
    // [tensorflow]
    OP_REQUIRES(context, std::isfinite(factor), absl::InvalidArgumentError("factor must be finite"));
    // [/tensorflow]
    factor_ = static_cast<T>(factor);
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &y));
    const auto in = x.flat<T>();
    auto out = y->flat<T>();
    for (int64_t i = 0; i < in.size(); ++i) out(i) = factor_ * in(i);
  }

 private:
  T factor_ = 0;
};

REGISTER_KERNEL_BUILDER(Name("MyOp").Device(DEVICE_CPU).TypeConstraint<float>("T"), MyOpKernel<float>);
REGISTER_KERNEL_BUILDER(Name("MyOp").Device(DEVICE_CPU).TypeConstraint<double>("T"), MyOpKernel<double>);

}  // namespace
