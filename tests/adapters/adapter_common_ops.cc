// tests/adapters/adapter_common_ops.cc: ops for the list of tests that all frameworks have in common, with those of the
// other two files; see shared/common_list.py.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "adapter_ops.h"

namespace {

REGISTER_OP("Reversed")
    .Attr(
        "T: {half, bfloat16, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, bool, complex64, "
        "complex128}")
    .Input("x: T")
    .Output("y: T")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Gradient("nodes: {dx: {op: Reversed, in: grad.y}}\noutputs: {x: dx}")
    .Doc("The elements of x in the opposite order, whatever their type.");
void Reversed(OpKernelContext* context) {
  const Tensor& x = context->input(0);
  Tensor* y = nullptr;
  OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &y));
  const size_t size = DataTypeSize(x.dtype());
  const char* const from = x.tensor_data().data();
  char* const to = const_cast<char*>(y->tensor_data().data());
  const auto n = static_cast<size_t>(x.NumElements());
  for (size_t i = 0; i < n; ++i) std::copy_n(from + i * size, size, to + (n - 1 - i) * size);
}
REGISTER_KERNEL_BUILDER(Name("Reversed").Device(DEVICE_CPU), Plain<Reversed>);

REGISTER_OP("Cube")
    .Attr("T: {float, double}")
    .Input("x: T")
    .Output("y: T")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Gradient(R"yaml(
feeds:
  three: {value: 3, dtype: {attr: T}}
nodes:
  square: {op: Mul, in: [x, x]}
  slope: {op: Mul, in: [three, square]}
  dx: {op: Mul, in: [grad.y, slope]}
outputs: {x: dx}
)yaml")
    .Doc("Has gradients of all orders, by those of Mul.");
template <typename T>
void Cube(OpKernelContext* context) {
  const auto x = context->input(0).flat<T>();
  Tensor* y = nullptr;
  OP_REQUIRES_OK(context, context->allocate_output(0, context->input(0).shape(), &y));
  for (int64 i = 0; i < x.size(); ++i) y->flat<T>()(i) = x(i) * x(i) * x(i);
}
REGISTER_KERNEL_BUILDER(Name("Cube").Device(DEVICE_CPU).TypeConstraint<float>("T"), Plain<Cube<float>>);
REGISTER_KERNEL_BUILDER(Name("Cube").Device(DEVICE_CPU).TypeConstraint<double>("T"), Plain<Cube<double>>);

REGISTER_OP("Shout")
    .Attr("mark: string = '!'")
    .Input("x: string")
    .Output("y: string")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("Each text with a mark behind it.");
class ShoutOp : public OpKernel {
 public:
  explicit ShoutOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("mark", &mark_));
  }
  void Compute(OpKernelContext* context) override {
    const auto x = context->input(0).flat<tstring>();
    Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, context->input(0).shape(), &y));
    for (int64 i = 0; i < x.size(); ++i) y->flat<tstring>()(i) = std::string(x(i)) + mark_;
  }

 private:
  std::string mark_;
};
REGISTER_KERNEL_BUILDER(Name("Shout").Device(DEVICE_CPU), ShoutOp);

}  // namespace
