// opsrun/gpu_elements.h: what kernels over the elements of a tensor have in common.
//
// Elements are read and written 16 bytes at a time where memory is aligned, which every tensor is that is not a part of
// another one. Grids are bounded, and their threads go on until nothing is left:
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

constexpr int kGpuThreads = 256;  // of a block

// How many blocks of kGpuThreads there are for so many threads; more than 4096 do not run at a time on any card.
// Requires: threads >= 0; for 0 there are no blocks.
inline dim3 GpuBlocks(int64 threads) {
  constexpr int64 kMost = 4096;
  return dim3(static_cast<unsigned>(std::min<int64>((threads - 1) / kGpuThreads + (threads > 0), kMost)));
}

// Elements that are moved at once.
template <typename T, int kCount>
struct alignas(sizeof(T) * kCount) GpuPack {
  T elements[kCount];
};

// How many elements make a pack of 16 bytes, of the larger of two types.
template <typename T, typename U>
constexpr int kGpuPackSize = 16 / static_cast<int>(std::max(sizeof(T), sizeof(U)));

template <typename T, int kCount>
bool IsAlignedFor(const T* data) {
  return reinterpret_cast<uintptr_t>(data) % sizeof(GpuPack<T, kCount>) == 0;
}

// Calls visit(E()) with a type E of so many bytes, for kernels that only move elements and so need to know no more of
// them. Requires: bytes is 1, 2, 4, 8 or 16, as that of every type is that a GPU can hold.
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
