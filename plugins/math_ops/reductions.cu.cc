// plugins/math_ops/reductions.cu.cc: reductions, ArgMax and ArgMin on a GPU.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "bias.h"
#include "gpu_reduce.cu.h"
#include "reduce.h"

namespace math_ops {
namespace {

#define ON_GPU_ALONG_AXES(name, Types) ON_GPU(name, Types).HostMemory("reduction_indices").Capturable()
#define REGISTER_GPU_REDUCTION(name, Types, Fold) \
  REGISTER_KERNEL_BUILDER(ON_GPU_ALONG_AXES(name, Types), ReduceOp<GpuReducer<Fold, Types>>)
#define REGISTER_GPU_MEAN(Types, Fold) \
  REGISTER_KERNEL_BUILDER(ON_GPU_ALONG_AXES("Mean", Types), MeanOp<GpuReducer<Fold, Types, /*kMean=*/true>>)
REGISTER_GPU_REDUCTION("Sum", Numbers, SumFold)
REGISTER_GPU_MEAN(FloatsAndComplexes, SumFold)
REGISTER_GPU_MEAN(Integers, MeanFold)
REGISTER_GPU_REDUCTION("Prod", Numbers, ProdFold)
REGISTER_GPU_REDUCTION("EuclideanNorm", Numbers, NormFold)
REGISTER_GPU_REDUCTION("Max", RealNumbers, MaxFold)
REGISTER_GPU_REDUCTION("Min", RealNumbers, MinFold)

// Of bools, which are bytes of 0 or 1.
#define REGISTER_LOGICAL(name, Fold)                                                                  \
  REGISTER_KERNEL_BUILDER(Name(name).Device(DEVICE_GPU).HostMemory("reduction_indices").Capturable(), \
                          ReduceOp<GpuReducer<Fold, TypeList<uint8_t>>>)
REGISTER_LOGICAL("All", AllFold)
REGISTER_LOGICAL("Any", AnyFold)

REGISTER_KERNEL_BUILDER(ON_GPU("SumToShape", Numbers).HostMemory("shape").Capturable(),
                        SumToShapeOp<GpuReducer<SumFold, Numbers>>)
REGISTER_KERNEL_BUILDER(ON_GPU("L2Loss", Floats).Capturable(), L2LossOp<GpuReducer<HalfSquaresFold, Floats>>)
REGISTER_KERNEL_BUILDER(ON_GPU("BiasAdd", Numbers).Capturable(), BiasAddOp<GpuBinaryOp<Add, Numbers>>)
REGISTER_KERNEL_BUILDER(ON_GPU("BiasAddV1", Numbers).Capturable(), BiasAddOp<GpuBinaryOp<Add, Numbers>>)
REGISTER_KERNEL_BUILDER(ON_GPU("BiasAddGrad", Numbers).Capturable(), BiasAddGradOp<GpuReducer<SumFold, Numbers>>)

// ArgMax and ArgMin. The work is divided as for reductions, see gpu_reduce.cu.h.

// The best of some elements, and the index of the first element that equals it.
template <typename W>
struct Found {
  W best;
  int64 index;
};

// Signed and unsigned indices have the same bits.
__device__ inline void WriteIndex(int64 index, int64 at, int bytes, void* out) {
  if (bytes == 2) {
    static_cast<uint16_t*>(out)[at] = static_cast<uint16_t>(index);
  } else if (bytes == 4) {
    static_cast<int32_t*>(out)[at] = static_cast<int32_t>(index);
  } else {
    static_cast<int64*>(out)[at] = index;
  }
}

// A folding, see gpu_reduce.cu.h. Of equal elements the one with the lowest index wins, so the order of comparison is
// irrelevant. index_bytes: of an element of `out`.
template <typename Fold, typename T>
struct GpuSearch {
  typedef T Element;
  typedef Found<Wide<T>> Acc;
  void* out;
  int index_bytes;

  // Every element is at least as good and has a lower index.
  __device__ static Acc Start() { return {Fold::template Start<T>(), INT64_MAX}; }
  __device__ static Acc Of(T x, int64 index) { return {static_cast<Wide<T>>(x), index}; }
  __device__ static void Add(Acc* acc, T x, int64 index) {
    if (Fold::IsBetter(static_cast<Wide<T>>(x), acc->best) || acc->index == INT64_MAX) *acc = Of(x, index);
  }
  __device__ static Acc Combine(Acc a, Acc b) {
    if (Fold::IsBetter(b.best, a.best)) return b;
    return Fold::IsBetter(a.best, b.best) || a.index <= b.index ? a : b;
  }
  __device__ void Write(int64 result, Acc acc) const { WriteIndex(acc.index, result, index_bytes, out); }
};

typedef Status (*GpuSearcher)(OpKernelContext* context, const Tensor& input, const bool* reduced, Tensor* output);

template <typename Fold>
struct GpuSearches {
  template <typename T>
  static Status Run(OpKernelContext* context, const Tensor& input, const bool* reduced, Tensor* output) {
    const GpuSearch<Fold, T> search = {output->data(), static_cast<int>(DataTypeSize(output->dtype()))};
    return LaunchFolding(context, PlanReduction(input.shape(), reduced, kGpuPackSize<T, T>), search, input.data());
  }
};

template <typename Fold>
class GpuArgOp : public ArgKernel {
 public:
  explicit GpuArgOp(OpKernelConstruction* context)
      : ArgKernel(context), search_(LoopFor<GpuSearches<Fold>>(context->input_type(0), RealNumbers())) {}

 protected:
  Status Search(OpKernelContext* context, const Tensor& input, int axis, Tensor* output) const override {
    bool reduced[OPSRUN_MAX_RANK] = {};
    reduced[axis] = true;
    return search_(context, input, reduced, output);
  }

 private:
  const GpuSearcher search_;
};

#define REGISTER_GPU_ARG(name, Fold) \
  REGISTER_KERNEL_BUILDER(ON_GPU(name, RealNumbers).HostMemory("dimension").Capturable(), GpuArgOp<Fold>)
REGISTER_GPU_ARG("ArgMax", MaxFold)
REGISTER_GPU_ARG("ArgMin", MinFold)

}  // namespace
}  // namespace math_ops

#endif  // GOOGLE_CUDA
