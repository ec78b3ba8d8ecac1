// opsrun/gpu_elements.h: helpers for GPU kernels over the elements of a tensor.
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

}  // namespace OPSRUN_HIDDEN

#endif  // OPSRUN_GPU_CODE
