// compat/tests/ported/same_shapes_op.cc: TensorFlow ops on tensors of one shape, by the base classes of numeric_op.h.
// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/numeric_op.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/platform/statusor.h"
#include "tensorflow/core/util/padding.h"

namespace tensorflow {
namespace {

REGISTER_OP("Halved")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {float, double}")
    .SetShapeFn(shape_inference::UnchangedShape);
REGISTER_OP("Greater")
    .Input("a: T")
    .Input("b: T")
    .Output("c: T")
    .Attr("T: {float, int32}")
    .SetShapeFn(shape_inference::UnchangedShape);
REGISTER_OP("SignOf").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
REGISTER_OP("Windows")
    .Input("x: float")
    .Output("count: int64")
    .Attr("size: int >= 1")
    .Attr(GetPaddingAttrString())
    .SetShapeFn(shape_inference::ScalarShape);

template <typename T>
class HalvedOp : public UnaryElementWiseOp<T, HalvedOp<T>> {
 public:
  using UnaryElementWiseOp<T, HalvedOp<T>>::UnaryElementWiseOp;
  void Operate(OpKernelContext*, const Tensor& input, Tensor* output) {
    output->flat<T>() = input.flat<T>() / static_cast<T>(2);
  }
};

template <typename T>
class GreaterOp : public BinaryElementWiseOp<T, GreaterOp<T>> {
 public:
  using BinaryElementWiseOp<T, GreaterOp<T>>::BinaryElementWiseOp;
  template <int kRank>
  void Operate(OpKernelContext*, const Tensor& a, const Tensor& b, Tensor* output) {
    output->tensor<T, kRank>() = a.tensor<T, kRank>().cwiseMax(b.tensor<T, kRank>());
  }
};

// Overrides Compute.
class SignOfOp : public UnaryOp<float> {
 public:
  using UnaryOp<float>::UnaryOp;
  void Compute(OpKernelContext* context) override {
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, context->input(0).shape(), &output));
    output->flat<float>() = context->input(0).flat<float>().sign();
  }
};

absl::StatusOr<int64_t> CountOf(int64_t inputs, int64_t size, Padding padding) {
  int64_t count = 0, zeros = 0;
  TF_RETURN_IF_ERROR(GetWindowedOutputSize(inputs, size, 1, padding, &count, &zeros));
  return count;
}

class WindowsOp : public OpKernel {
 public:
  explicit WindowsOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("size", &size_));
    OP_REQUIRES_OK(context, context->GetAttr("padding", &padding_));
  }
  void Compute(OpKernelContext* context) override {
    OP_REQUIRES_VALUE(const int64_t count, context, CountOf(context->input(0).NumElements(), size_, padding_));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape(), &output));
    output->scalar<int64_t>()() = count;
  }

 private:
  int64_t size_ = 0;
  Padding padding_ = VALID;
};

REGISTER_KERNEL_BUILDER(Name("Halved").Device(DEVICE_CPU).TypeConstraint<float>("T"), HalvedOp<float>);
REGISTER_KERNEL_BUILDER(Name("Halved").Device(DEVICE_CPU).TypeConstraint<double>("T"), HalvedOp<double>);
REGISTER_KERNEL_BUILDER(Name("Greater").Device(DEVICE_CPU).TypeConstraint<float>("T"), GreaterOp<float>);
REGISTER_KERNEL_BUILDER(Name("Greater").Device(DEVICE_CPU).TypeConstraint<int32>("T"), GreaterOp<int32>);
REGISTER_KERNEL_BUILDER(Name("SignOf").Device(DEVICE_CPU), SignOfOp);
REGISTER_KERNEL_BUILDER(Name("Windows").Device(DEVICE_CPU), WindowsOp);

// Overrides Compute of a class of two inputs.
class SameTypesOp : public BinaryOp<float> {
 public:
  using BinaryOp<float>::BinaryOp;
  void Compute(OpKernelContext* context) override { context->set_output(0, context->input(1)); }
};
REGISTER_OP("Second")
    .Input("a: float")
    .Input("b: float")
    .Output("c: float")
    .SetShapeFn(shape_inference::UnchangedShape);
REGISTER_KERNEL_BUILDER(Name("Second").Device(DEVICE_CPU), SameTypesOp);

}  // namespace
}  // namespace tensorflow
