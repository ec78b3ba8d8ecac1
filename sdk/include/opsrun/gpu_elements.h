// opsrun/gpu_elements.h: helpers for GPU kernels over the elements of a tensor, and of operands with different strides:
// broadcast, transposed or cut out of a larger array.
//
// Elements are read and written 16 bytes at a time where memory is aligned, as it is for every tensor that is not a
// slice of another one. Grids are bounded, so threads loop until all elements are done:
//
//   GpuLaunchKernel(Double<T>, GpuBlocks(n), kGpuThreads, 0, stream, n, in, out);
//   ... for (int64 i : GpuGridRangeX(n)) out[i] = in[i] + in[i];
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/gpu_runtime.h"

#ifdef OPSRUN_GPU_CODE

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "opsrun/namespace.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

constexpr int kGpuThreads = 256;  // per block

// The number of blocks of kGpuThreads for `threads` threads, at most 4096, which fill any card. Requires: threads >= 0;
// for 0 there are no blocks.
inline dim3 GpuBlocks(int64 threads) {
  constexpr int64 kMost = 4096;
  return dim3(static_cast<unsigned>(std::min<int64>((threads - 1) / kGpuThreads + (threads > 0), kMost)));
}

// Placed before a loop of a kernel that nvcc would unroll: that makes kernels larger, and not faster where each round
// waits for memory anyway.
#ifdef __CUDACC__
#define OPSRUN_GPU_ROLLED _Pragma("unroll 1")
#else
#define OPSRUN_GPU_ROLLED
#endif

// Elements that are moved together.
template <typename T, int kCount>
struct alignas(sizeof(T) * kCount) GpuPack {
  T elements[kCount];
};

// The number of elements in a pack of 16 bytes, for the larger of two types.
template <typename T, typename U>
constexpr int kGpuPackSize = 16 / static_cast<int>(std::max(sizeof(T), sizeof(U)));

template <typename T, int kCount>
bool IsAlignedFor(const T* data) {
  return reinterpret_cast<uintptr_t>(data) % sizeof(GpuPack<T, kCount>) == 0;
}

// The pack at `from`, which has any alignment, from the one or two aligned packs of memory that it is in. Reads nothing
// outside of [begin, end). Requires: the pack is there.
template <typename E>
__device__ inline GpuPack<E, kGpuPackSize<E, E>> GpuReadPack(const E* from, const E* begin, const E* end) {
  constexpr int kPack = kGpuPackSize<E, E>;
  typedef GpuPack<uint64_t, 2> Words;
  GpuPack<E, kPack> pack;
  const auto at = static_cast<unsigned>(reinterpret_cast<uintptr_t>(from) % 16);
  const E* const first = from - at / sizeof(E);
  const E* const last = at == 0 ? first : first + kPack;
  if (first < begin || last + kPack > end) {
    for (int k = 0; k < kPack; ++k) pack.elements[k] = from[k];
    return pack;
  }
  Words words = *reinterpret_cast<const Words*>(first);
  if (at != 0) {
    const Words high = *reinterpret_cast<const Words*>(last);
    const bool skips = at >= 8;
    const uint64_t a = skips ? words.elements[1] : words.elements[0];
    const uint64_t b = skips ? high.elements[0] : words.elements[1];
    const uint64_t c = skips ? high.elements[1] : high.elements[0];
    const unsigned shift = at % 8 * 8;
    words = {{a >> shift | b << 1 << (63 - shift), b >> shift | c << 1 << (63 - shift)}};
  }
  std::memcpy(&pack, &words, sizeof pack);
  return pack;
}

// Calls visit(E()) with a type E of `bytes` bytes, for kernels that only move elements. Requires: bytes is 1, 2, 4, 8
// or 16, which covers every type that a GPU can hold.
template <typename Visit>
auto VisitGpuElement(int64 bytes, const Visit& visit) {
  switch (bytes) {
    case 1:
      return visit(uint8_t());
    case 2:
      return visit(uint16_t());
    case 4:
      return visit(uint32_t());
    case 8:
      return visit(uint64_t());
    default:
      return visit(GpuPack<uint64_t, 2>());
  }
}

// Division by an invariant number, as a multiplication and a shift. Source: Granlund and Montgomery, Division by
// Invariant Integers using Multiplication, 1994, figure 4.1. Requires: numbers are below 2^31, the divisor is not 0.
class GpuDivisor {
 public:
  GpuDivisor() = default;
  explicit GpuDivisor(uint32_t divisor) {
    while ((uint64_t{1} << shift_) < divisor) ++shift_;
    multiplier_ = static_cast<uint32_t>((((uint64_t{1} << shift_) - divisor) << 32) / divisor + 1);
  }
  __device__ uint32_t Quotient(uint32_t n) const {
    const auto high = static_cast<uint32_t>(uint64_t{n} * multiplier_ >> 32);
    return (high + n) >> shift_;
  }

 private:
  uint32_t multiplier_ = 0, shift_ = 0;
};

// Nested dimensions, with the stride of each operand. Can be passed to a kernel.
template <int kOperands>
class GpuPlaces {
 public:
  static constexpr int kMostDims = 40;  // memory has fewer than 2^40 bytes, so this suffices for dimensions above 1

  // Adds the next inner dimension. Requires: its size is positive, and there are fewer than kMostDims above 1.
  void AddInside(int64 size, const int64* steps) {
    if (size == 1) return;
    sizes_[rank_] = size;
    count_ *= size;
    if (size <= INT32_MAX) divisors_[rank_] = GpuDivisor(static_cast<uint32_t>(size));
    for (int k = 0; k < kOperands; ++k) steps_[k][rank_] = steps[k];
    ++rank_;
  }

  // The number of elements: the product of the sizes.
  __host__ __device__ int64 count() const { return count_; }

  // Sets at[k] to operand k's index of element i. Requires: i is in [0, count()).
  __device__ void Find(int64 i, int64 (&at)[kOperands]) const {
    for (int64& each : at) each = 0;
    OPSRUN_GPU_ROLLED
    for (int d = rank_ - 1; d > 0; --d) {
      const int64 rest =
          count_ <= INT32_MAX ? static_cast<int64>(divisors_[d].Quotient(static_cast<uint32_t>(i))) : i / sizes_[d];
      const int64 index = i - rest * sizes_[d];
      for (int k = 0; k < kOperands; ++k) at[k] += index * steps_[k][d];
      i = rest;
    }
    for (int k = 0; k < kOperands && rank_ > 0; ++k) at[k] += i * steps_[k][0];
  }

 private:
  int rank_ = 0;
  int64 count_ = 1;
  int64 sizes_[kMostDims];
  int64 steps_[kOperands][kMostDims];
  GpuDivisor divisors_[kMostDims];
};

}  // namespace OPSRUN_HIDDEN

#endif  // OPSRUN_GPU_CODE
