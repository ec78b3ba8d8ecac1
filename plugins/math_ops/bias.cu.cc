// plugins/math_ops/bias.cu.cc: BiasAdd and its gradient on a GPU.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "bias.h"

#include "arithmetic.h"
#include "gpu_binary.cu.h"
#include "gpu_reduce.cu.h"
#include "sum_fold.h"

namespace math_ops {
namespace {

using namespace opsrun;

using BiasAdd = BiasAddOp<GpuBinaryOp<Add, RealNumbers>>;

class BiasAddGradOp : public OpKernel {
 public:
  explicit BiasAddGradOp(OpKernelConstruction* context)
      : OpKernel(context), fold_(LoopFor<GpuFolds<SumFold>>(context->input_type(0), RealNumbers())) {
    OP_REQUIRES_OK(context, channels_.Read(context));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& out_backprop = context->input(0);
    bool summed[OPSRUN_MAX_RANK];
    OP_REQUIRES_OK(context, FindSummedDims(out_backprop.shape(), channels_, summed));
    Tensor* output = nullptr;
    const TensorShape shape = {out_backprop.dim_size(channels_.DimOf(out_backprop.dims()))};
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    if (output->NumElements() == 0) return;
    const GpuReduction work = PlanReduction(out_backprop.shape(), summed);
    OP_REQUIRES_OK(context, fold_(context, work, 1, out_backprop.data(), output->data()));
  }

 private:
  Channels channels_;
  const GpuFold fold_;
};

#define REGISTER_BIAS(name, Kernel)                                                                                    \
  REGISTER_KERNEL_BUILDER(Name(name).Device(DEVICE_GPU).TypeConstraint("T", {MATH_OPS_GPU_REAL_NUMBERS}).Capturable(), \
                          Kernel)
REGISTER_BIAS("BiasAdd", BiasAdd)
REGISTER_BIAS("BiasAddV1", BiasAdd)
REGISTER_BIAS("BiasAddGrad", BiasAddGradOp)

}  // namespace
}  // namespace math_ops

#endif  // GOOGLE_CUDA
