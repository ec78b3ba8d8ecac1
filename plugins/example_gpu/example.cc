// SPDX-License-Identifier: Apache-2.0
#include "example.h"

#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/plugin.h"
#include "opsrun/register_types.h"

OPSRUN_PLUGIN("example_gpu", "0.1.0");
OPSRUN_PLUGIN_META("Apache-2.0", "", "An op with a kernel for a GPU");

namespace example {

using namespace opsrun;
using CpuDevice = Eigen::ThreadPoolDevice;
using GpuDevice = Eigen::GpuDevice;

REGISTER_OP("Example")
    .Attr("T: numbertype")
    .Input("input: T")
    .Output("input_times_two: T")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Gradient(R"yaml(
nodes:
  doubled: {op: Example, in: grad.input_times_two}
outputs: {input: doubled}
)yaml")
    .Doc(R"doc(
Doubles every element.

input: A tensor of any shape.
input_times_two: A tensor of the same shape.
)doc");

template <typename T>
struct TimesTwo<CpuDevice, T> {
  Status operator()(const CpuDevice& device, int64 n, const T* in, T* out) const {
    const Eigen::TensorOpCost cost_of_one(sizeof(T), sizeof(T), 1);
    device.parallelFor(n, cost_of_one, [in, out](Eigen::Index begin, Eigen::Index end) {
      for (Eigen::Index i = begin; i < end; ++i) out[i] = Twice(in[i]);
    });
    return Status::OK();
  }
};

namespace {

template <typename Device, typename T>
class ExampleOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  // [compute]
  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, input.shape(), &output));
    OP_REQUIRES_OK(context, TimesTwo<Device, T>()(context->eigen_device<Device>(), input.NumElements(),
                                                  input.flat<T>().data(), output->flat<T>().data()));
  }
  // [/compute]
};

#define REGISTER_CPU(T) \
  REGISTER_KERNEL_BUILDER(Name("Example").Device(DEVICE_CPU).TypeConstraint<T>("T"), ExampleOp<CpuDevice, T>);
TF_CALL_NUMBER_TYPES(REGISTER_CPU)
#undef REGISTER_CPU

// [registration]
#if GOOGLE_CUDA
#define REGISTER_GPU(T) \
  REGISTER_KERNEL_BUILDER(Name("Example").Device(DEVICE_GPU).TypeConstraint<T>("T").Capturable(), \
                          ExampleOp<GpuDevice, T>);
TF_CALL_REAL_NUMBER_TYPES(REGISTER_GPU)
#undef REGISTER_GPU
#endif  // GOOGLE_CUDA
// [/registration]

}  // namespace
}  // namespace example
