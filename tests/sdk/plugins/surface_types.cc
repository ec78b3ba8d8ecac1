// tests/sdk/plugins/surface_types.cc: one kernel class for every real number type, and a functor on Eigen's devices.
// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/shape_inference.h"

using namespace tensorflow;

using CPUDevice = Eigen::ThreadPoolDevice;

REGISTER_OP("Twice")
    .Attr("T: realnumbertype")
    .Input("input: T")
    .Output("output: T")
    .SetShapeFn([](::tensorflow::shape_inference::InferenceContext* c) {
      c->set_output(0, c->input(0));
      return Status::OK();
    });

template <typename Device, typename T>
struct TwiceFunctor;

template <typename T>
struct TwiceFunctor<CPUDevice, T> {
  void operator()(int size, const T* in, T* out) {
    for (int i = 0; i < size; ++i) {
      out[i] = 2 * in[i];
    }
  }
};

template <typename Device, typename T>
class TwiceOp : public OpKernel {
 public:
  explicit TwiceOp(OpKernelConstruction* context) : OpKernel(context) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& input_tensor = context->input(0);
    Tensor* output_tensor = NULL;
    OP_REQUIRES_OK(context, context->allocate_output(0, input_tensor.shape(),
                                                     &output_tensor));
    OP_REQUIRES(context, input_tensor.NumElements() <= tensorflow::kint32max,
                errors::InvalidArgument("Too many elements in tensor"));
    TwiceFunctor<Device, T>()(static_cast<int>(input_tensor.NumElements()),
                              input_tensor.flat<T>().data(),
                              output_tensor->flat<T>().data());
  }
};

#define REGISTER_CPU(T)                                        \
  REGISTER_KERNEL_BUILDER(                                     \
      Name("Twice").Device(DEVICE_CPU).TypeConstraint<T>("T"), \
      TwiceOp<CPUDevice, T>);
TF_CALL_REAL_NUMBER_TYPES(REGISTER_CPU);
#undef REGISTER_CPU
