// plugins/math_ops/arg.cu.cc: ArgMax and ArgMin on a GPU. The work is divided as for reductions, see gpu_reduce.cu.h.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "gpu_reduce.cu.h"

namespace math_ops {
namespace {

// The best of some elements, and the index of the first element that equals it.
template <typename W>
struct Found {
  W best;
  int64 index;
};

// A fold for CombineLanes. Of equal elements the one with the lowest index wins, so the order of comparison is
// irrelevant.
template <typename Fold>
struct FirstBest {
  template <typename A>
  __device__ static A Combine(A a, A b) {
    if (Fold::IsBetter(b.best, a.best)) return b;
    return Fold::IsBetter(a.best, b.best) || a.index <= b.index ? a : b;
  }
};

template <typename W, typename T>
__device__ inline Found<W> FoundAt(T element, int64 index) {
  return {static_cast<W>(element), index};
}
template <typename W>
__device__ inline Found<W> FoundAt(Found<W> part, int64 /*index*/) {
  return part;
}

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

// Searches elements, or the parts that an earlier launch found. parts: where to write the result of each part; NULL if
// there is one part, whose indices of `bytes` bytes go to `out`.
template <typename Fold, typename T, typename From>
__global__ void __launch_bounds__(kGpuThreads)
    FindBest(GpuReduction work, const From* in, Found<Wide<T>>* parts, int index_bytes, void* out) {
  typedef Wide<T> W;
  const int results_of_block = kGpuThreads / work.lanes, thread = static_cast<int>(threadIdx.x);
  const int lane = work.is_line ? thread % work.lanes : thread / results_of_block;
  const int own = work.is_line ? thread / work.lanes : thread % results_of_block;
  const int64 begin = blockIdx.y * work.part, end = begin + work.part < work.depth ? begin + work.part : work.depth;
  for (int64 first = int64{blockIdx.x} * results_of_block; first < work.results;
       first += int64{gridDim.x} * results_of_block) {
    const int64 result = first + own;
    Found<W> found = {Fold::template Start<T>(), INT64_MAX};  // every element is at least as good and has a lower index
    if (result < work.results) {
      int64 base[1], at[1];
      work.kept.Find(result, base);
      for (int64 d = begin + lane; d < end; d += work.lanes) {
        work.reduced.Find(d, at);
        found = FirstBest<Fold>::Combine(found, FoundAt<W>(in[base[0] + at[0]], d));
      }
    }
    found = CombineLanes<FirstBest<Fold>>(found, work.lanes, work.is_line);
    if (lane != 0 || result >= work.results) continue;
    if (parts != nullptr) {
      parts[result * work.parts + blockIdx.y] = found;
    } else {
      WriteIndex(found.index, result, index_bytes, out);
    }
  }
}

template <typename Fold, typename T, typename From>
Status LaunchFindBest(OpKernelContext* context, const GpuReduction& work, const From* in, Found<Wide<T>>* parts,
                      Tensor* output) {
  const int64 blocks = (work.results + work.results_of_block() - 1) / work.results_of_block();
  const dim3 grid(static_cast<unsigned>(std::min<int64>(blocks, INT32_MAX)), static_cast<unsigned>(work.parts));
  return GpuLaunchKernel(FindBest<Fold, T, From>, grid, kGpuThreads, 0, GetGpuStream(context), work, in, parts,
                         DataTypeSize(output->dtype()), output->data());
}

typedef Status (*GpuSearch)(OpKernelContext* context, const GpuReduction& work, const void* in, Tensor* output);

template <typename Fold>
struct GpuSearches {
  template <typename T>
  static Status Run(OpKernelContext* context, const GpuReduction& work, const void* ins, Tensor* output) {
    typedef Found<Wide<T>> Part;
    const T* const in = static_cast<const T*>(ins);
    if (work.parts == 1) return LaunchFindBest<Fold, T>(context, work, in, static_cast<Part*>(nullptr), output);
    Tensor temporary;
    const int64 bytes = work.results * work.parts * int64{sizeof(Part)};
    TF_RETURN_IF_ERROR(context->allocate_temp(DT_UINT8, TensorShape({bytes}), &temporary));
    Part* const parts = static_cast<Part*>(temporary.data());
    TF_RETURN_IF_ERROR((LaunchFindBest<Fold, T>(context, work, in, parts, output)));
    return LaunchFindBest<Fold, T>(context, SecondReduction(work), static_cast<const Part*>(parts),
                                   static_cast<Part*>(nullptr), output);
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
    return search_(context, PlanReduction(input.shape(), reduced), input.data(), output);
  }

 private:
  const GpuSearch search_;
};

#define REGISTER_GPU_ARG(name, Fold) \
  REGISTER_KERNEL_BUILDER(ON_GPU(name, RealNumbers).HostMemory("dimension").Capturable(), GpuArgOp<Fold>)
REGISTER_GPU_ARG("ArgMax", MaxFold)
REGISTER_GPU_ARG("ArgMin", MinFold)

}  // namespace
}  // namespace math_ops

#endif  // GOOGLE_CUDA
