// tests/sdk/plugins/surface_eigen.cc: a kernel whose source includes Eigen before the framework's headers, and uses a
// device.
// SPDX-License-Identifier: Apache-2.0
#define EIGEN_USE_THREADS  // as in many sources for TensorFlow
#include <unsupported/Eigen/CXX11/Tensor>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"

using namespace tensorflow;

REGISTER_OP("Negate").Attr("T: {half, float, int32}").Input("input: T").Output("output: T");

template <typename Device, typename T>
class NegateOp : public OpKernel {
 public:
  explicit NegateOp(OpKernelConstruction* context) : OpKernel(context) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, input.shape(), &output));
    output->flat<T>().device(context->eigen_device<Device>()) = -input.flat<T>();
  }
};

#define REGISTER_CPU(T)                                         \
  REGISTER_KERNEL_BUILDER(                                      \
      Name("Negate").Device(DEVICE_CPU).TypeConstraint<T>("T"), \
      NegateOp<Eigen::ThreadPoolDevice, T>);
TF_CALL_half(REGISTER_CPU) TF_CALL_float(REGISTER_CPU) TF_CALL_int32(REGISTER_CPU)
#undef REGISTER_CPU
