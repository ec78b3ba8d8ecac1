// opsrun/gpu_warp.h: operations across the threads of a block or of a warp of 32: barriers, shuffles and votes.
//
// Every thread in `mask` must make the same call with the same mask, unless it has ended; bit i is lane i.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/gpu_runtime.h"

#ifdef OPSRUN_GPU_CODE

#include <string.h>

#include <type_traits>

#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

constexpr unsigned kGpuWarpAll = 0xffffffffu;
constexpr unsigned kCudaWarpAll = kGpuWarpAll;

namespace internal {

constexpr int kGpuWarpSize = 32;

// Moves a value of any size, 32 bits at a time.
template <typename T, typename Move>
__device__ inline T GpuMoveWords(const T& value, const Move& move) {
  static_assert(std::is_trivially_copyable_v<T>, "shuffles copy bytes");
  constexpr int kWords = static_cast<int>((sizeof(T) + 3) / 4);
  unsigned words[kWords] = {};
  memcpy(words, &value, sizeof(T));
  for (int i = 0; i < kWords; ++i) words[i] = move(words[i]);
  T moved;
  memcpy(static_cast<void*>(&moved), words, sizeof(T));
  return moved;
}

}  // namespace internal

// The lane of this thread in its warp.
__device__ inline unsigned GpuLaneId() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % internal::kGpuWarpSize;
}

__device__ inline void GpuSyncThreads() {
  __syncthreads();
}
__device__ inline void GpuSyncWarp(unsigned mask = kGpuWarpAll) {
  __syncwarp(mask);
}

// The lanes that are converged with this one now; others may reach this code later.
__device__ inline unsigned GpuActiveMask() {
  return __activemask();
}
__device__ inline unsigned GpuBallotSync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate);
}
__device__ inline int GpuAnySync(unsigned mask, int predicate) {
  return __any_sync(mask, predicate);
}
__device__ inline int GpuAllSync(unsigned mask, int predicate) {
  return __all_sync(mask, predicate);
}

// The value of lane `source`; of the lane `delta` below or above; of the lane whose number differs in the bits
// `lane_mask`. width, a power of two, splits the warp into independent parts. At the edge of a part, up and down return
// the thread's own value. T: any trivially copyable type.
template <typename T>
__device__ inline T GpuShuffleSync(unsigned mask, T value, int source, int width = internal::kGpuWarpSize) {
  return internal::GpuMoveWords(value, [=](unsigned word) { return __shfl_sync(mask, word, source, width); });
}
template <typename T>
__device__ inline T GpuShuffleUpSync(unsigned mask, T value, unsigned delta, int width = internal::kGpuWarpSize) {
  return internal::GpuMoveWords(value, [=](unsigned word) { return __shfl_up_sync(mask, word, delta, width); });
}
template <typename T>
__device__ inline T GpuShuffleDownSync(unsigned mask, T value, unsigned delta, int width = internal::kGpuWarpSize) {
  return internal::GpuMoveWords(value, [=](unsigned word) { return __shfl_down_sync(mask, word, delta, width); });
}
template <typename T>
__device__ inline T GpuShuffleXorSync(unsigned mask, T value, int lane_mask, int width = internal::kGpuWarpSize) {
  return internal::GpuMoveWords(value, [=](unsigned word) { return __shfl_xor_sync(mask, word, lane_mask, width); });
}

// Names in TensorFlow before 2.0.
__device__ inline unsigned CudaLaneId() {
  return GpuLaneId();
}
__device__ inline void CudaSyncWarp(unsigned mask = kGpuWarpAll) {
  GpuSyncWarp(mask);
}
__device__ inline unsigned CudaBallotSync(unsigned mask, int predicate) {
  return GpuBallotSync(mask, predicate);
}
template <typename T>
__device__ inline T CudaShuffleSync(unsigned mask, T value, int source, int width = internal::kGpuWarpSize) {
  return GpuShuffleSync(mask, value, source, width);
}
template <typename T>
__device__ inline T CudaShuffleUpSync(unsigned mask, T value, unsigned delta, int width = internal::kGpuWarpSize) {
  return GpuShuffleUpSync(mask, value, delta, width);
}
template <typename T>
__device__ inline T CudaShuffleDownSync(unsigned mask, T value, unsigned delta, int width = internal::kGpuWarpSize) {
  return GpuShuffleDownSync(mask, value, delta, width);
}
template <typename T>
__device__ inline T CudaShuffleXorSync(unsigned mask, T value, int lane_mask, int width = internal::kGpuWarpSize) {
  return GpuShuffleXorSync(mask, value, lane_mask, width);
}

}  // namespace OPSRUN_HIDDEN

#endif  // OPSRUN_GPU_CODE
