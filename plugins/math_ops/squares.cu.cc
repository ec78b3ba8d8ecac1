// plugins/math_ops/squares.cu.cc: EuclideanNorm and L2Loss on a GPU. Norms of integers are computed on the CPU.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include <algorithm>

#include "gpu_reduce.cu.h"
#include "squares_fold.h"

namespace math_ops {
namespace {

using namespace opsrun;

typedef GpuReduceOp<NormFold, Floats> NormOp;
REGISTER_GPU_REDUCTION("EuclideanNorm", NormOp, MATH_OPS_GPU_FLOATS)

class L2LossOp : public OpKernel {
 public:
  explicit L2LossOp(OpKernelConstruction* context)
      : OpKernel(context), fold_(LoopFor<GpuFolds<HalfSquaresFold>>(context->input_type(0), Floats())) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    bool reduced[OPSRUN_MAX_RANK];
    std::fill(std::begin(reduced), std::end(reduced), true);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {}, &output));
    OP_REQUIRES_OK(context, fold_(context, PlanReduction(input.shape(), reduced), 1, input.data(), output->data()));
  }

 private:
  const GpuFold fold_;
};
REGISTER_KERNEL_BUILDER(Name("L2Loss").Device(DEVICE_GPU).TypeConstraint("T", {MATH_OPS_GPU_FLOATS}).Capturable(),
                        L2LossOp)

}  // namespace
}  // namespace math_ops

#endif  // GOOGLE_CUDA
