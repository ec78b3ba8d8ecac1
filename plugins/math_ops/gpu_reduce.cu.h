// plugins/math_ops/gpu_reduce.cu.h: reductions on a GPU. The folds are the same as on the CPU, see fold_loops.h.
//
// Several threads, the lanes, compute one result: each folds a strided subset of its elements, and their accumulators
// are combined in a fixed order. If there are few results, each is computed in parts, which a second launch combines.
// How the work is divided depends on the shape alone, so a result is the same on every card.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_elementwise.cu.h"
#include "reduce.h"

namespace math_ops {

// A launch handles `part` elements of the `depth` that make each result. Element d of result r is at kept(r) +
// reduced(d).
struct GpuReduction {
  GpuPlaces<1> kept, reduced;
  int64 results = 0, depth = 0, part = 0, parts = 1;
  int lanes = 1;         // a power of two, kGpuThreads at most
  bool is_line = false;  // the elements of a result are contiguous; otherwise those of neighboring results are

  int results_of_block() const { return kGpuThreads / lanes; }
};

// Whether sums may be divided, for a mean: those of integers only in a type that is wide enough.
template <typename Fold, typename T>
constexpr bool kHasMeans =
    !kMapsElements<Fold, T> && (!std::is_integral_v<T> || !std::is_same_v<typename Fold::template Acc<T>, T>);

// Combines the accumulators of the lanes of a block: acc is this thread's; lane 0 returns the result. Neighboring
// threads read contiguous elements, so the lanes of a result are either neighbors or one row of the block apart.
template <typename Fold, typename Acc>
__device__ inline Acc CombineLanes(Acc acc, int lanes, bool is_line) {
  __shared__ Acc shared[kGpuThreads];
  const int thread = static_cast<int>(threadIdx.x), step = is_line ? 1 : kGpuThreads / lanes;
  const int lane = is_line ? thread % lanes : thread / step;
  for (int half = lanes / 2; half > 0; half /= 2) {
    __syncthreads();
    shared[thread] = acc;
    __syncthreads();
    if (lane < half) acc = Fold::Combine(acc, shared[thread + half * step]);
  }
  return acc;
}

// Reduces parts of the elements, along y, to accumulators, or accumulators (kOfParts) to results. divisor: divides each
// result, for a mean; 1 otherwise.
template <typename Fold, typename T, bool kOfParts, typename From, typename To>
__global__ void __launch_bounds__(kGpuThreads) FoldElements(GpuReduction work, int64 divisor, const From* in, To* out) {
  typedef typename Fold::template Acc<T> Acc;
  const int results_of_block = kGpuThreads / work.lanes, thread = static_cast<int>(threadIdx.x);
  const int lane = work.is_line ? thread % work.lanes : thread / results_of_block;
  const int own = work.is_line ? thread / work.lanes : thread % results_of_block;
  const int64 begin = blockIdx.y * work.part, end = begin + work.part < work.depth ? begin + work.part : work.depth;
  for (int64 first = int64{blockIdx.x} * results_of_block; first < work.results;
       first += int64{gridDim.x} * results_of_block) {
    const int64 result = first + own;
    Acc acc = Fold::template Start<T>();
    if (result < work.results) {
      int64 base[1], at[1];
      work.kept.Find(result, base);
      for (int64 d = begin + lane; d < end; d += work.lanes) {
        work.reduced.Find(d, at);
        if constexpr (kMapsElements<Fold, T> && !kOfParts) {
          acc = Fold::Combine(acc, AccOf<Fold>(in[base[0] + at[0]]));
        } else {
          acc = Fold::Combine(acc, static_cast<Acc>(in[base[0] + at[0]]));
        }
      }
    }
    acc = CombineLanes<Fold>(acc, work.lanes, work.is_line);
    if (lane != 0 || result >= work.results) continue;
    if constexpr (kHasMeans<Fold, T>) {
      if (divisor != 1) acc = MeanOf(acc, divisor);
    }
    To* const to = &out[result * work.parts + blockIdx.y];
    if constexpr (kMapsElements<Fold, T> && std::is_same_v<To, T>) {
      *to = work.parts == 1 ? static_cast<To>(Fold::template Finish<T>(acc, work.depth)) : static_cast<To>(acc);
    } else {
      *to = static_cast<To>(acc);
    }
  }
}

// The smallest power of two that is at least n, but at most kGpuThreads.
inline int LanesFor(int64 n) {
  int lanes = 1;
  while (lanes < n && lanes < kGpuThreads) lanes *= 2;
  return lanes;
}

inline GpuPlaces<1> PlacesOf(const Dims& dims) {
  GpuPlaces<1> places;
  for (int d = 0; d < dims.rank; ++d) places.AddInside(dims.sizes[d], &dims.strides[d]);
  return places;
}

// Requires: there is at least one result.
inline GpuReduction PlanReduction(const TensorShape& shape, const bool* reduced) {
  constexpr int64 kEnoughBlocks = 1024, kElementsOfLane = 16;
  Layout layout(shape, reduced);
  if (layout.line != 1 || layout.reduced.rank > 0) layout.reduced.AddInside(layout.line, layout.line_stride);
  if (layout.width > 1) layout.kept.AddInside(layout.width, 1);
  GpuReduction work;
  work.depth = layout.reduced.Count();
  work.is_line = layout.width == 1;
  work.kept = PlacesOf(layout.kept);
  if (work.depth > 0) work.reduced = PlacesOf(layout.reduced);
  work.results = work.kept.count();
  // Rows: 32 neighbors are read at a time, if there are as many.
  const int64 most_lanes = work.is_line ? kGpuThreads : kGpuThreads / std::min(LanesFor(work.results), 32);
  work.lanes = static_cast<int>(std::min<int64>(LanesFor(work.depth), most_lanes));
  const int64 blocks = (work.results + work.results_of_block() - 1) / work.results_of_block();
  const int64 worthwhile = work.depth / (work.lanes * kElementsOfLane);
  const int64 parts = std::max<int64>(std::min(kEnoughBlocks / std::max<int64>(blocks, 1), worthwhile), 1);
  work.part = (work.depth + parts - 1) / parts;
  work.parts = work.part == 0 ? 1 : std::max<int64>((work.depth + work.part - 1) / work.part, 1);
  return work;
}

// The reduction of the first launch's output: for each result, `parts` contiguous accumulators.
inline GpuReduction SecondReduction(const GpuReduction& first) {
  GpuReduction second;
  second.results = first.results;
  second.depth = second.part = first.parts;
  second.is_line = true;
  const int64 one = 1;
  second.kept.AddInside(first.results, &first.parts);
  second.reduced.AddInside(first.parts, &one);
  second.lanes = LanesFor(first.parts);
  return second;
}

template <typename Fold, typename T, bool kOfParts, typename From, typename To>
Status LaunchFold(OpKernelContext* context, const GpuReduction& work, int64 divisor, const From* in, To* out) {
  const int64 blocks = (work.results + work.results_of_block() - 1) / work.results_of_block();
  const dim3 grid(static_cast<unsigned>(std::min<int64>(blocks, INT32_MAX)), static_cast<unsigned>(work.parts));
  constexpr bool kParts = kOfParts && kMapsElements<Fold, T>;  // other folds read accumulators and elements alike
  return GpuLaunchKernel(FoldElements<Fold, T, kParts, From, To>, grid, kGpuThreads, 0, GetGpuStream(context), work,
                         divisor, in, out);
}

typedef Status (*GpuFold)(OpKernelContext* context, const GpuReduction& work, int64 divisor, const void* in, void* out);

template <typename Fold>
struct GpuFolds {
  template <typename OnCpu>
  static Status Run(OpKernelContext* context, const GpuReduction& work, int64 divisor, const void* ins, void* outs) {
    typedef GpuType<OnCpu> T;
    typedef typename Fold::template Acc<T> Acc;
    const T* const in = static_cast<const T*>(ins);
    T* const out = static_cast<T*>(outs);
    if (work.parts == 1) return LaunchFold<Fold, T, false>(context, work, divisor, in, out);
    Tensor temporary;
    const int64 bytes = work.results * work.parts * int64{sizeof(Acc)};
    TF_RETURN_IF_ERROR(context->allocate_temp(DT_UINT8, TensorShape({bytes}), &temporary));
    Acc* const parts = static_cast<Acc*>(temporary.data());
    TF_RETURN_IF_ERROR((LaunchFold<Fold, T, false>(context, work, 1, in, parts)));
    return LaunchFold<Fold, T, true>(context, SecondReduction(work), divisor, static_cast<const Acc*>(parts), out);
  }
};

// Like CpuReducer. kMean: divides each result by the number of its elements.
template <typename Fold, typename Types, bool kMean = false>
class GpuReducer {
 public:
  static constexpr bool kOneGivesItself = !kMapsElements<Fold, float>;
  explicit GpuReducer(DataType type) : fold_(LoopFor<GpuFolds<Fold>>(ComparedAs(type), Types())) {}
  Status operator()(OpKernelContext* context, const Tensor& input, const bool* reduced, Tensor* output) const {
    if (output->NumElements() == 0) return Status();
    const GpuReduction work = PlanReduction(input.shape(), reduced);
    return fold_(context, work, kMean ? work.depth : 1, input.data(), output->data());
  }

 private:
  const GpuFold fold_;
};

}  // namespace math_ops
