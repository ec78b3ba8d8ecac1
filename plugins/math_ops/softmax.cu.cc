// plugins/math_ops/softmax.cu.cc: Softmax and LogSoftmax on a GPU.
//
// Each row is read once, and its threads hold it in registers; a row that is too long for a block is read twice, which
// is from the cache if it fits there. If there are few long rows, a first launch adds up the exponentials of parts.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "folds.h"
#include "gpu_elementwise.cu.h"

namespace math_ops {
namespace {

// How rows are divided among lanes. A part has a multiple of the elements that its lanes hold.
struct SoftmaxRows {
  int64 rows, size;
  int lanes;
  bool is_log, is_packed, is_aligned;  // lanes hold packs of neighbors; they are aligned, too
  int64 part = 0;
};

// The sum of exp(x - largest).
template <typename W>
struct Exponentials {
  W largest, sum;
};

constexpr int kMostThreads = 1024, kLongRowThreads = 512;

// What a lane holds at a time.
template <typename T>
class Held {
 public:
  static constexpr int kPack = kGpuPackSize<T, T>, kPacks = 64 / (kPack * static_cast<int>(sizeof(Wide<T>)));
  static constexpr int kElements = kPack * kPacks;
  typedef Wide<T> W;

  // Of the first `size` elements at a place.
  __device__ Held(const SoftmaxRows& work, int lane, int64 size)
      : first_(work.is_packed ? lane * kPack : lane),
        round_(work.lanes * kPack),
        step_(work.is_packed ? 1 : work.lanes),
        size_(static_cast<int>(std::min<int64>(size, work.lanes * kElements))),
        is_aligned_(work.is_aligned) {}

  // Reads elements; those beyond the size are -infinity, which adds nothing to a maximum or a sum.
  __device__ void Read(const T* from) {
    for (int u = 0; u < kPacks; ++u) {
      if (is_aligned_) {
        if (PlaceOf(u, 0) < size_) packs_[u] = *reinterpret_cast<const GpuPack<T, kPack>*>(from + PlaceOf(u, 0));
      } else {
        for (int k = 0; k < kPack; ++k) {
          if (PlaceOf(u, k) < size_) packs_[u].elements[k] = from[PlaceOf(u, k)];
        }
      }
    }
    for (int u = 0; u < kPacks; ++u) {
      for (int k = 0; k < kPack; ++k) {
        values_[u][k] = PlaceOf(u, k) < size_ ? static_cast<W>(packs_[u].elements[k]) : MaxFold::Start<T>();
      }
    }
  }
  __device__ void Write(T* to) {
    for (int u = 0; u < kPacks; ++u) {
      for (int k = 0; k < kPack; ++k) packs_[u].elements[k] = static_cast<T>(values_[u][k]);
      if (is_aligned_) {
        if (PlaceOf(u, 0) < size_) *reinterpret_cast<GpuPack<T, kPack>*>(to + PlaceOf(u, 0)) = packs_[u];
      } else {
        for (int k = 0; k < kPack; ++k) {
          if (PlaceOf(u, k) < size_) to[PlaceOf(u, k)] = packs_[u].elements[k];
        }
      }
    }
  }
  // Calls fn(&value) for each, of the packs that the lanes of short rows need.
  template <typename Fn>
  __device__ void ForAll(const Fn& fn) {
    for (int u = 0; u < kPacks; ++u) {
      if (u * round_ >= size_) continue;
      for (int k = 0; k < kPack; ++k) fn(&values_[u][k]);
    }
  }

 private:
  __device__ int PlaceOf(int u, int k) const { return first_ + u * round_ + k * step_; }

  const int first_, round_, step_, size_;
  const bool is_aligned_;
  GpuPack<T, kPack> packs_[kPacks];
  W values_[kPacks][kPack];
};

// Combines the values of the lanes of a row; every lane returns the result. Requires: it does not matter which of two
// values comes first.
template <typename Fold, typename W>
__device__ inline W CombineInAll(W own, int lanes) {
  constexpr int kWarp = 32;
  __shared__ W of_warps[kMostThreads / kWarp];
  const int thread = static_cast<int>(threadIdx.x), warp = thread / kWarp, warps = lanes / kWarp;
  OPSRUN_GPU_ROLLED
  for (int half = std::min(lanes, kWarp) / 2; half > 0; half /= 2) {
    own = Fold::Combine(own, GpuShuffleXorSync(kGpuWarpAll, own, half));
  }
  if (warps <= 1) return own;
  __syncthreads();
  if (thread % kWarp == 0) of_warps[warp] = own;
  __syncthreads();
  const int first = warp / warps * warps;
  W result = of_warps[first];
  for (int i = 1; i < warps; ++i) result = Fold::Combine(result, of_warps[first + i]);
  return result;
}

// exp(from - to), the factor of a sum of exponentials when their largest changes.
template <typename W>
__device__ inline W Factor(W from, W to) {
  return from == to ? W(1) : std::exp(from - to);
}

// Subtracts the maximum first, so that exponentials do not overflow. `out` may be `in`.
template <typename T>
__global__ void __launch_bounds__(kMostThreads) SoftmaxOfShortRows(SoftmaxRows work, const T* in, T* out) {
  typedef Wide<T> W;
  const int thread = static_cast<int>(threadIdx.x), rows_of_block = static_cast<int>(blockDim.x) / work.lanes;
  const int64 row = int64{blockIdx.x} * rows_of_block + thread / work.lanes;
  Held<T> held(work, thread % work.lanes, row < work.rows ? work.size : 0);
  held.Read(in + row * work.size);
  W largest = MaxFold::Start<T>(), sum = W(0);
  held.ForAll([&](W* x) { largest = MaxFold::Combine(largest, *x); });
  largest = CombineInAll<MaxFold>(largest, work.lanes);
  held.ForAll([&](W* x) {
    const W less = *x - largest, exponential = std::exp(less);
    sum += exponential;
    *x = work.is_log ? less : exponential;
  });
  sum = CombineInAll<SumFold>(sum, work.lanes);
  const W log = work.is_log ? std::log(sum) : W(0);
  held.ForAll([&](W* x) { *x = work.is_log ? *x - log : *x / sum; });
  held.Write(out + row * work.size);
}

// Part y of row x. sums: those of the parts of each row, which this launch writes, or reads if they are known. NULL if
// there is one part.
template <typename T>
__global__ void __launch_bounds__(kLongRowThreads)
    SoftmaxOfLongRows(SoftmaxRows work, Exponentials<Wide<T>>* sums, bool are_known, const T* in, T* out) {
  typedef Wide<T> W;
  const int lane = static_cast<int>(threadIdx.x), step = kLongRowThreads * Held<T>::kElements;
  const int64 begin = blockIdx.y * work.part, end = std::min(begin + work.part, work.size), row = blockIdx.x;
  W largest = MaxFold::Start<T>(), sum = W(0);
  for (int64 part = lane; are_known && part < gridDim.y; part += kLongRowThreads) {
    const Exponentials<W> more = sums[row * gridDim.y + part];
    const W before = largest;
    largest = MaxFold::Combine(largest, more.largest);
    sum = sum * Factor(before, largest) + more.sum * Factor(more.largest, largest);
  }
  for (int64 at = begin; !are_known && at < end; at += step) {
    Held<T> held(work, lane, end - at);
    held.Read(in + row * work.size + at);
    const W before = largest;
    held.ForAll([&](W* x) { largest = MaxFold::Combine(largest, *x); });
    if (largest == MaxFold::Start<T>()) continue;  // so far, all are exp(-infinity)
    sum *= Factor(before, largest);
    held.ForAll([&](W* x) { sum += std::exp(*x - largest); });
  }
  const W own = largest;
  largest = CombineInAll<MaxFold>(largest, kLongRowThreads);
  sum = CombineInAll<SumFold>(sum * Factor(own, largest), kLongRowThreads);
  if (sums != nullptr && !are_known) {
    if (lane == 0) sums[row * gridDim.y + blockIdx.y] = {largest, sum};
    return;
  }
  const W log = work.is_log ? std::log(sum) : W(0);
  for (int64 at = begin; at < end; at += step) {
    Held<T> held(work, lane, end - at);
    held.Read(in + row * work.size + at);
    held.ForAll([&](W* x) { *x = work.is_log ? *x - largest - log : std::exp(*x - largest) / sum; });
    held.Write(out + row * work.size + at);
  }
}

// The smallest power of two that is at least n.
int PowerFor(int64 n) {
  int power = 1;
  while (power < n) power *= 2;
  return power;
}

// A thread for each pack, up to a warp; beyond it, threads for what they hold.
template <typename T>
Status LaunchShortRows(gpuStream_t stream, SoftmaxRows work, const T* in, T* out) {
  const int of_packs = PowerFor((work.size - 1) / Held<T>::kPack + 1);
  work.lanes = std::max(std::min(of_packs, 32), PowerFor((work.size - 1) / Held<T>::kElements + 1));
  const int threads = std::max(work.lanes, kGpuThreads), rows_of_block = threads / work.lanes;
  return GpuLaunchKernel(SoftmaxOfShortRows<T>, dim3(static_cast<unsigned>((work.rows - 1) / rows_of_block + 1)),
                         threads, 0, stream, work, in, out);
}

// Enough parts to fill a card, each of at least what a block holds.
template <typename T>
Status LaunchLongRows(OpKernelContext* context, SoftmaxRows work, const T* in, T* out) {
  constexpr int64 kEnoughBlocks = 528, kBlock = kLongRowThreads * Held<T>::kElements;
  const int64 blocks = (work.size - 1) / kBlock + 1;
  const int64 wanted = std::min(blocks, std::max<int64>(kEnoughBlocks / work.rows, 1));
  work.lanes = kLongRowThreads;
  work.part = ((blocks - 1) / wanted + 1) * kBlock;
  const int64 parts = (work.size - 1) / work.part + 1;
  const dim3 grid(static_cast<unsigned>(work.rows), static_cast<unsigned>(parts));
  Tensor temporary;
  Exponentials<Wide<T>>* sums = nullptr;
  for (const bool are_known : {false, true}) {
    if (parts == 1 && are_known) break;
    if (parts > 1 && !are_known) {
      const int64 bytes = work.rows * parts * int64{sizeof(*sums)};
      TF_RETURN_IF_ERROR(context->allocate_temp(DT_UINT8, TensorShape({bytes}), &temporary));
      sums = static_cast<Exponentials<Wide<T>>*>(temporary.data());
    }
    TF_RETURN_IF_ERROR(GpuLaunchKernel(SoftmaxOfLongRows<T>, grid, kLongRowThreads, 0, GetGpuStream(context), work,
                                       sums, are_known, in, out));
  }
  return Status();
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
    const T* const in = static_cast<const T*>(logits.data());
    T* const out = static_cast<T*>(output->data());
    SoftmaxRows work = {};
    work.size = logits.dim_size(logits.dims() - 1);
    work.rows = logits.NumElements() / work.size;
    work.is_log = kLog;
    constexpr int kPack = Held<T>::kPack;
    work.is_packed = work.size % kPack == 0;
    work.is_aligned = work.is_packed && IsAlignedFor<T, kPack>(in) && IsAlignedFor<T, kPack>(out);
    OP_REQUIRES_OK(context, work.size <= kMostThreads * Held<T>::kElements
                                ? LaunchShortRows(GetGpuStream(context), work, in, out)
                                : LaunchLongRows(context, work, in, out));
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
