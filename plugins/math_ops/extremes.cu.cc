// plugins/math_ops/extremes.cu.cc: the largest, the smallest, and whether all or any are true, on a GPU.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "extremes.h"

#include "gpu_reduce.cu.h"
#include "logical_folds.h"

namespace math_ops {
namespace {

using namespace opsrun;

typedef GpuReduceOp<MaxFold, RealNumbers> MaxOp;
typedef GpuReduceOp<MinFold, RealNumbers> MinOp;
REGISTER_GPU_REDUCTION("Max", MaxOp, MATH_OPS_GPU_REAL_NUMBERS)
REGISTER_GPU_REDUCTION("Min", MinOp, MATH_OPS_GPU_REAL_NUMBERS)

// Of bools, which are bytes of 0 or 1.
template <typename Fold>
class LogicalOp : public ReduceKernel {
 public:
  using ReduceKernel::ReduceKernel;

 protected:
  Status Run(OpKernelContext* context, const Tensor& input, const bool* reduced, Tensor* output) const override {
    if (output->NumElements() == 0) return Status();
    const GpuReduction work = PlanReduction(input.shape(), reduced);
    return GpuFolds<Fold>::template Run<uint8_t>(context, work, 1, input.data(), output->data());
  }
};
#define REGISTER_LOGICAL(name, Fold) \
  REGISTER_KERNEL_BUILDER(Name(name).Device(DEVICE_GPU).HostMemory("reduction_indices").Capturable(), LogicalOp<Fold>)
REGISTER_LOGICAL("All", AllFold)
REGISTER_LOGICAL("Any", AnyFold)

}  // namespace
}  // namespace math_ops

#endif  // GOOGLE_CUDA
