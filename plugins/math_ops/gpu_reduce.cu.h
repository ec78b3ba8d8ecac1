// plugins/math_ops/gpu_reduce.cu.h: reductions on a GPU. The folds are the same as on the CPU, see fold_loops.h.
//
// Each lane folds a strided subset of its unit, see gpu_reduction.cu.h: it reads several packs at a time. Accumulators
// are combined in a fixed order, those of parts in a second launch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_reduction.cu.h"

namespace math_ops {

// Combines the accumulators of the lanes of a block: acc is this thread's; lane 0 returns the result. The lanes of a
// unit are neighbors, or one row of the block apart, since neighboring threads read contiguous elements.
template <typename Fold, typename Acc>
__device__ inline Acc CombineLanes(Acc acc, int lanes, bool is_line) {
  constexpr int kWarp = 32;
  __shared__ Acc shared[kGpuThreads];
  const int thread = static_cast<int>(threadIdx.x), step = is_line ? 1 : kGpuThreads / lanes, span = lanes * step;
  OPSRUN_GPU_ROLLED
  for (int half = std::min(span, kWarp) / 2; half >= step; half /= 2) {
    acc = Fold::Combine(acc, GpuShuffleDownSync(kGpuWarpAll, acc, static_cast<unsigned>(half)));
  }
  if (span <= kWarp || lanes == 1) return acc;
  __syncthreads();
  shared[thread] = acc;
  __syncthreads();
  const int row = std::max(step, kWarp);
  OPSRUN_GPU_ROLLED
  for (int other = thread + row; thread % span < row && other < thread - thread % span + span; other += row) {
    acc = Fold::Combine(acc, shared[other]);
  }
  return acc;
}

// The packs that a thread reads at the same time: enough bytes to keep memory busy, and not more code than that.
template <typename T>
constexpr int kPacksInFlight = sizeof(T) < 4 ? 2 : 4;

// The elements of a pack; of one that is not aligned, the first `count`, and 0 for the others.
template <bool kIsAligned, int kPack, typename T>
__device__ inline GpuPack<T, kPack> LoadElements(const T* from, int count) {
  if constexpr (kIsAligned) {
    return *reinterpret_cast<const GpuPack<T, kPack>*>(from);
  } else {
    GpuPack<T, kPack> pack = {};
    for (int k = 0; k < kPack; ++k) {
      if (k < count) pack.elements[k] = from[k];
    }
    return pack;
  }
}

// Folds the elements [first, end) that are this lane's, which are whole packs. index: that of element 0. Each round
// adds to all accumulators; packs that are not aligned are added to the same ones, one after another.
template <typename Folding, int kPack, int kAccs, typename T, typename Acc>
__device__ inline void FoldPacks(const T* from, int first, int end, bool is_aligned, int64 index, int step,
                                 Acc (&accs)[kAccs]) {
  OPSRUN_GPU_ROLLED
  for (int at = first; is_aligned && at < end; at += kAccs * step) {
    GpuPack<T, kPack> packs[kAccs];
    for (int u = 0; u < kAccs; ++u) {
      if (at + u * step < end) packs[u] = LoadElements<true, kPack>(from + at + u * step, kPack);
    }
    for (int u = 0; u < kAccs; ++u) {
      if (at + u * step >= end) continue;
      for (int k = 0; k < kPack; ++k) Folding::Add(&accs[u], packs[u].elements[k], index + at + u * step + k);
    }
  }
  OPSRUN_GPU_ROLLED
  for (int at = first, turn = 0; !is_aligned && (at < end || turn != 0); at += step, turn = (turn + 1) % kAccs) {
    Acc acc = accs[0];
    if (at < end) {
      const GpuPack<T, kPack> pack = LoadElements<false, kPack>(from + at, kPack);
      for (int k = 0; k < kPack; ++k) Folding::Add(&acc, pack.elements[k], index + at + k);
    }
    for (int u = 1; u < kAccs; ++u) accs[u - 1] = accs[u];  // an index would need local memory
    accs[kAccs - 1] = acc;
  }
}

// Folds the elements of a piece, which begins at `place`, that are this lane's: of whole packs, and of the edges
// outside of them. index: that of the first element.
template <typename Folding, int kPack, int kAccs, typename T, typename Acc>
__device__ inline void FoldLine(const T* in, int64 place, int size, bool is_aligned, int64 index, int lane, int lanes,
                                Acc (&accs)[kAccs]) {
  const T* const from = in + place;
  const int head = std::min(static_cast<int>(-place & (kPack - 1)), size), tail = (size - head) % kPack;
  const int packed = size - tail, edges = head + tail;
  const auto place_of_edge = [=](int i) { return i < head ? i : packed + i - head; };
  T edge = {};
  if (lane < edges) edge = from[place_of_edge(lane)];
  FoldPacks<Folding, kPack>(from, head + lane * kPack, packed, is_aligned, index, lanes * kPack, accs);
  OPSRUN_GPU_ROLLED
  for (int i = lane; i < edges; i += lanes) {
    if (i != lane) edge = from[place_of_edge(i)];
    accs[0] = Folding::Combine(accs[0], Folding::Of(edge, index + place_of_edge(i)));
  }
}

// Folds the rows of a piece that are this lane's: the first `count` columns. index: that of the first row.
template <typename Folding, bool kIsAligned, int kPack, typename T, typename Acc>
__device__ inline void FoldRows(const T* in, int64 stride, int rows, int count, int64 index, int lane, int lanes,
                                Acc (&accs)[kPack]) {
  constexpr int kRows = kIsAligned ? kPacksInFlight<T> : 2;
  const int64 step = lanes * stride;
  const T* from = in + lane * stride;
  OPSRUN_GPU_ROLLED
  for (int row = lane; row < rows; row += kRows * lanes, from += kRows * step) {
    GpuPack<T, kPack> packs[kRows];
    for (int u = 0; u < kRows; ++u) {
      if (row + u * lanes < rows) packs[u] = LoadElements<kIsAligned, kPack>(from + u * step, count);
    }
    for (int u = 0; u < kRows; ++u) {
      if (row + u * lanes >= rows) continue;
      for (int k = 0; k < kPack; ++k) Folding::Add(&accs[k], packs[u].elements[k], index + row + u * lanes);
    }
  }
}

// A folding is a struct with the types Element and Acc, and
// Start()                 the accumulator of no elements
// Of(x, index)            that of an element; the index is its place in the line
// Add(&acc, x, index)     adds an element whose index is higher than those before
// Combine(acc, acc)       the accumulator of both together
// Write(result, acc)      writes a result

// Folds part y of each unit: to `parts` unless it is NULL.
template <typename Folding, bool kIsLine, int kPack>
__global__ void __launch_bounds__(kGpuThreads)
    FoldElements(GpuReduction work, Folding folding, const typename Folding::Element* in,
                 typename Folding::Acc* parts) {
  typedef typename Folding::Acc Acc;
  const int units_of_block = kGpuThreads / work.lanes, thread = static_cast<int>(threadIdx.x);
  const int lane = kIsLine ? thread % work.lanes : thread / units_of_block;
  const int own = kIsLine ? thread / work.lanes : thread % units_of_block;
  const int line_lane = lane % work.line_lanes, pieces_at_once = work.lanes / work.line_lanes;
  const int64 begin = blockIdx.y * work.part, end = std::min(begin + work.part, work.pieces);
  OPSRUN_GPU_ROLLED
  for (int64 first = int64{blockIdx.x} * units_of_block; first < work.units;
       first += int64{gridDim.x} * units_of_block) {
    constexpr int kAccs = kIsLine ? kPacksInFlight<typename Folding::Element> : kPack;
    Acc accs[kAccs];
    for (Acc& acc : accs) acc = Folding::Start();
    int64 base[2], at[2];
    int count = 0;
    if (first + own < work.units) {
      work.kept.Find(first + own, base);
      count = kIsLine ? 1 : static_cast<int>(std::min<int64>(work.width - base[1] % work.width, kPack));
      OPSRUN_GPU_ROLLED
      for (int64 piece = begin + lane / work.line_lanes; piece < end; piece += pieces_at_once) {
        work.reduced.Find(piece, at);
        const int64 place = base[0] + at[0];
        const int size = static_cast<int>(std::min(work.line - at[1], work.piece));
        if constexpr (kIsLine) {
          FoldLine<Folding, kPack>(in, place, size, work.is_aligned, at[1], line_lane, work.line_lanes, accs);
        } else if (work.is_aligned) {
          FoldRows<Folding, true>(in + place, work.stride, size, count, at[1], line_lane, work.line_lanes, accs);
        } else {
          FoldRows<Folding, false>(in + place, work.stride, size, count, at[1], line_lane, work.line_lanes, accs);
        }
      }
    }
    for (int u = 1; kIsLine && u < kAccs; ++u) accs[0] = Folding::Combine(accs[0], accs[u]);
    OPSRUN_GPU_ROLLED
    for (int k = 0; k < (kIsLine ? 1 : kPack); ++k) {
      const Acc acc = CombineLanes<Folding>(accs[0], work.lanes, kIsLine);
      for (int next = 1; next < kAccs; ++next) accs[next - 1] = accs[next];
      if (lane != 0 || k >= count) continue;
      if (parts != nullptr) {
        parts[blockIdx.y * work.results + base[1] + k] = acc;
      } else {
        folding.Write(base[1] + k, acc);
      }
    }
  }
}

// Combines the parts of each result, which are `results` accumulators apart.
template <typename Folding>
__global__ void __launch_bounds__(kGpuThreads)
    FoldParts(int64 results, int64 count, int lanes, Folding folding, const typename Folding::Acc* parts) {
  typedef typename Folding::Acc Acc;
  constexpr int kSome = 4;
  const int of_block = kGpuThreads / lanes, thread = static_cast<int>(threadIdx.x), lane = thread / of_block;
  OPSRUN_GPU_ROLLED
  for (int64 first = int64{blockIdx.x} * of_block; first < results; first += int64{gridDim.x} * of_block) {
    const int64 result = first + thread % of_block, end = result < results ? count : 0;
    Acc acc = Folding::Start();
    OPSRUN_GPU_ROLLED
    for (int64 part = lane; part < end; part += kSome * lanes) {
      Acc some[kSome];
      for (int u = 0; u < kSome; ++u) {
        some[u] = part + u * lanes < end ? parts[(part + u * lanes) * results + result] : Folding::Start();
      }
      for (const Acc& each : some) acc = Folding::Combine(acc, each);
    }
    acc = CombineLanes<Folding>(acc, lanes, /*is_line=*/false);
    if (lane == 0 && result < results) folding.Write(result, acc);
  }
}

template <typename Folding>
Status LaunchFolding(OpKernelContext* context, GpuReduction work, const Folding& folding, const void* ins) {
  typedef typename Folding::Element T;
  typedef typename Folding::Acc Acc;
  constexpr int kPack = kGpuPackSize<T, T>;
  const T* const in = static_cast<const T*>(ins);
  work.is_aligned = IsAlignedFor<T, kPack>(in) && work.width % (work.is_line ? 1 : kPack) == 0;
  Tensor temporary;
  if (work.parts > 1) {
    const int64 bytes = work.results * work.parts * int64{sizeof(Acc)};
    TF_RETURN_IF_ERROR(context->allocate_temp(DT_UINT8, TensorShape({bytes}), &temporary));
  }
  Acc* const parts = work.parts > 1 ? static_cast<Acc*>(temporary.data()) : nullptr;
  const int64 blocks = (work.units - 1) / work.units_of_block() + 1;
  const dim3 grid(static_cast<unsigned>(std::min<int64>(blocks, INT32_MAX)), static_cast<unsigned>(work.parts));
  const auto kernel = work.is_line ? &FoldElements<Folding, true, kPack> : &FoldElements<Folding, false, kPack>;
  TF_RETURN_IF_ERROR(GpuLaunchKernel(kernel, grid, kGpuThreads, 0, GetGpuStream(context), work, folding, in, parts));
  if (parts == nullptr) return Status();
  const int lanes = std::min(LanesFor(work.parts), kGpuThreads / std::min(LanesFor(work.results), 32));
  return GpuLaunchKernel(FoldParts<Folding>, GpuBlocks(work.results * lanes), kGpuThreads, 0, GetGpuStream(context),
                         work.results, work.parts, lanes, folding, parts);
}

// divisor: divides each result, for a mean; 1 otherwise.
template <typename Fold, typename T>
struct GpuFolding {
  typedef T Element;
  typedef typename Fold::template Acc<T> Acc;
  T* out;
  int64 count, divisor;

  __device__ static Acc Start() { return Fold::template Start<T>(); }
  __device__ static Acc Of(T x, int64 /*index*/) { return AccOf<Fold>(x); }
  __device__ static void Add(Acc* acc, T x, int64 /*index*/) { *acc = Combine(*acc, AccOf<Fold>(x)); }
  __device__ static Acc Combine(Acc a, Acc b) { return Fold::Combine(a, b); }
  __device__ void Write(int64 result, Acc acc) const {
    if constexpr (!std::is_integral_v<T>) {  // MeanFold divides integers
      if (divisor != 1) acc = MeanOf(acc, divisor);
    }
    out[result] = Fold::template Finish<T>(acc, count);
  }
};

typedef Status (*GpuFold)(OpKernelContext* context, const Tensor& input, const bool* reduced, bool is_mean, void* out);

template <typename Fold>
struct GpuFolds {
  template <typename OnCpu>
  static Status Run(OpKernelContext* context, const Tensor& input, const bool* reduced, bool is_mean, void* out) {
    typedef GpuType<OnCpu> T;
    const GpuReduction work = PlanReduction(input.shape(), reduced, kGpuPackSize<T, T>);
    const GpuFolding<Fold, T> folding = {static_cast<T*>(out), work.depth, is_mean ? work.depth : 1};
    return LaunchFolding(context, work, folding, input.data());
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
    return fold_(context, input, reduced, kMean, output->data());
  }

 private:
  const GpuFold fold_;
};

}  // namespace math_ops
