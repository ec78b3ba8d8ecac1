// plugins/math_ops/sums.cu.cc: sums, means and products on a GPU. Means of integers are computed on the CPU.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "gpu_reduce.cu.h"
#include "sum_fold.h"
#include "sum_to_shape.h"

namespace math_ops {
namespace {

using namespace opsrun;

typedef GpuReduceOp<SumFold, RealNumbers> SumOp;
typedef GpuReduceOp<SumFold, Floats, /*kMean=*/true> MeanOp;
typedef GpuReduceOp<ProdFold, RealNumbers> ProdOp;
REGISTER_GPU_REDUCTION("Sum", SumOp, MATH_OPS_GPU_REAL_NUMBERS)
REGISTER_GPU_REDUCTION("Mean", MeanOp, MATH_OPS_GPU_FLOATS)
REGISTER_GPU_REDUCTION("Prod", ProdOp, MATH_OPS_GPU_REAL_NUMBERS)

class SumToShapeOp : public OpKernel {
 public:
  explicit SumToShapeOp(OpKernelConstruction* context)
      : OpKernel(context), fold_(LoopFor<GpuFolds<SumFold>>(context->input_type(0), RealNumbers())) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    TensorShape shape;
    OP_REQUIRES_OK(context, ReadShape(context->input(1), &shape));
    if (shape == input.shape()) return context->set_output(0, input);
    bool summed[OPSRUN_MAX_RANK];
    OP_REQUIRES_OK(context, FindSummedDims(input.shape(), shape, summed));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    if (output->NumElements() == 0) return;
    OP_REQUIRES_OK(context, fold_(context, PlanReduction(input.shape(), summed), 1, input.data(), output->data()));
  }

 private:
  const GpuFold fold_;
};
REGISTER_KERNEL_BUILDER(Name("SumToShape")
                            .Device(DEVICE_GPU)
                            .TypeConstraint("T", {MATH_OPS_GPU_REAL_NUMBERS})
                            .HostMemory("shape")
                            .Capturable(),
                        SumToShapeOp)

}  // namespace
}  // namespace math_ops

#endif  // GOOGLE_CUDA
