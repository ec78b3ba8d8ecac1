// plugins/math_ops/reductions.cu.cc: reductions on a GPU. Means and norms of integers are computed on the CPU.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "bias.h"
#include "gpu_reduce.cu.h"
#include "sum_ops.h"

namespace math_ops {
namespace {

#define REGISTER_GPU_REDUCTION(name, Types, ...)                                            \
  REGISTER_KERNEL_BUILDER(ON_GPU(name, Types).HostMemory("reduction_indices").Capturable(), \
                          ReduceOp<GpuReducer<__VA_ARGS__>>)
REGISTER_GPU_REDUCTION("Sum", RealNumbers, SumFold, RealNumbers)
REGISTER_GPU_REDUCTION("Mean", Floats, SumFold, Floats, /*kMean=*/true)
REGISTER_GPU_REDUCTION("Prod", RealNumbers, ProdFold, RealNumbers)
REGISTER_GPU_REDUCTION("EuclideanNorm", Floats, NormFold, Floats)
REGISTER_GPU_REDUCTION("Max", RealNumbers, MaxFold, RealNumbers)
REGISTER_GPU_REDUCTION("Min", RealNumbers, MinFold, RealNumbers)

// Of bools, which are bytes of 0 or 1.
#define REGISTER_LOGICAL(name, Fold)                                                                  \
  REGISTER_KERNEL_BUILDER(Name(name).Device(DEVICE_GPU).HostMemory("reduction_indices").Capturable(), \
                          ReduceOp<GpuReducer<Fold, TypeList<uint8_t>>>)
REGISTER_LOGICAL("All", AllFold)
REGISTER_LOGICAL("Any", AnyFold)

REGISTER_KERNEL_BUILDER(ON_GPU("SumToShape", RealNumbers).HostMemory("shape").Capturable(),
                        SumToShapeOp<GpuReducer<SumFold, RealNumbers>>)
REGISTER_KERNEL_BUILDER(ON_GPU("L2Loss", Floats).Capturable(), L2LossOp<GpuReducer<HalfSquaresFold, Floats>>)
REGISTER_KERNEL_BUILDER(ON_GPU("BiasAdd", RealNumbers).Capturable(), BiasAddOp<GpuBinaryOp<Add, RealNumbers>>)
REGISTER_KERNEL_BUILDER(ON_GPU("BiasAddV1", RealNumbers).Capturable(), BiasAddOp<GpuBinaryOp<Add, RealNumbers>>)
REGISTER_KERNEL_BUILDER(ON_GPU("BiasAddGrad", RealNumbers).Capturable(),
                        BiasAddGradOp<GpuReducer<SumFold, RealNumbers>>)

}  // namespace
}  // namespace math_ops

#endif  // GOOGLE_CUDA
