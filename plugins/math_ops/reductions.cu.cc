// plugins/math_ops/reductions.cu.cc: reductions on a GPU. Means of integers are computed on the CPU.
// SPDX-License-Identifier: Apache-2.0

#if GOOGLE_CUDA

#include "gpu_reduce.cu.h"
#include "sum_ops.h"

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

// EuclideanNorm and L2Loss. Norms of integers are computed on the CPU.

namespace math_ops {
namespace {

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

// Max, Min, All and Any.

namespace math_ops {
namespace {

typedef GpuReduceOp<MaxFold, RealNumbers> MaxOp;
typedef GpuReduceOp<MinFold, RealNumbers> MinOp;
REGISTER_GPU_REDUCTION("Max", MaxOp, MATH_OPS_GPU_REAL_NUMBERS)
REGISTER_GPU_REDUCTION("Min", MinOp, MATH_OPS_GPU_REAL_NUMBERS)

// For bools, which are bytes of 0 or 1.
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

// BiasAdd and its gradient.

#include "bias.h"

namespace math_ops {
namespace {

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
