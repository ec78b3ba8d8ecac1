// plugins/math_ops/reductions.cu.cc: reductions, ArgMax, ArgMin and softmax on a GPU.
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

// Softmax and LogSoftmax.

// Combines the lanes of a row; every lane returns the result.
template <typename Fold, typename W>
__device__ inline W CombineInAll(W own, int lanes) {
  __shared__ W results[kGpuThreads];
  const int thread = static_cast<int>(threadIdx.x);
  const W result = CombineLanes<Fold>(own, lanes, /*is_line=*/true);
  if (thread % lanes == 0) results[thread] = result;
  __syncthreads();
  return results[thread / lanes * lanes];
}

// Subtracts the maximum first, so that exponentials do not overflow. `out` may be `in`.
template <typename T>
__global__ void __launch_bounds__(kGpuThreads)
    SoftmaxRows(int64 rows, int64 size, int lanes, bool is_log, const T* in, T* out) {
  typedef Wide<T> W;
  const int rows_of_block = kGpuThreads / lanes, lane = static_cast<int>(threadIdx.x) % lanes;
  for (int64 first = int64{blockIdx.x} * rows_of_block; first < rows; first += int64{gridDim.x} * rows_of_block) {
    const int64 row = first + threadIdx.x / static_cast<unsigned>(lanes);
    const int64 begin = row * size, end = row < rows ? begin + size : begin;
    W largest = MaxFold::Start<T>();
    for (int64 i = begin + lane; i < end; i += lanes) largest = MaxFold::Combine(largest, static_cast<W>(in[i]));
    largest = CombineInAll<MaxFold>(largest, lanes);
    W sum = W(0);
    for (int64 i = begin + lane; i < end; i += lanes) sum += std::exp(static_cast<W>(in[i]) - largest);
    sum = CombineInAll<SumFold>(sum, lanes);
    const W log = is_log ? std::log(sum) : W(0);
    for (int64 i = begin + lane; i < end; i += lanes) {
      const W x = static_cast<W>(in[i]) - largest;
      out[i] = static_cast<T>(is_log ? x - log : std::exp(x) / sum);
    }
  }
}

template <typename T, bool kLog>
class SoftmaxOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor& logits = context->input(0);
    OP_REQUIRES(
        context, logits.dims() >= 1,
        errors::InvalidArgument("logits must have at least one dimension, but are a scalar").Blame("input:logits"));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_output({0}, 0, logits.shape(), &output));
    if (logits.NumElements() == 0) return;
    const int64 size = logits.dim_size(logits.dims() - 1), rows = logits.NumElements() / size;
    const int lanes = LanesFor(size);
    OP_REQUIRES_OK(context, GpuLaunchKernel(SoftmaxRows<T>, GpuBlocks(rows * lanes), kGpuThreads, 0,
                                            GetGpuStream(context), rows, size, lanes, kLog,
                                            static_cast<const T*>(logits.data()), static_cast<T*>(output->data())));
  }
};

#define REGISTER_SOFTMAX(T)                                                                                            \
  REGISTER_KERNEL_BUILDER(Name("Softmax").Device(DEVICE_GPU).TypeConstraint<T>("T").Capturable(), SoftmaxOp<T, false>) \
  REGISTER_KERNEL_BUILDER(Name("LogSoftmax").Device(DEVICE_GPU).TypeConstraint<T>("T").Capturable(), SoftmaxOp<T, true>)
REGISTER_SOFTMAX(half)
REGISTER_SOFTMAX(bfloat16)
REGISTER_SOFTMAX(float)
REGISTER_SOFTMAX(double)

}  // namespace

}  // namespace math_ops

#endif  // GOOGLE_CUDA
