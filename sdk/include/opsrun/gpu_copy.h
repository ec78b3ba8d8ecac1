// opsrun/gpu_copy.h: copies within device memory, in any order of the elements: parts, transposed or repeated arrays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/gpu_runtime.h"

#ifdef OPSRUN_GPU_CODE

#include <cstdint>
#include <cstring>

#include "opsrun/gpu_elements.h"
#include "opsrun/gpu_launch.h"
#include "opsrun/namespace.h"
#include "opsrun/status.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// Nested loops that copy one element per iteration: loop i has `size` iterations, which are `from` and `to` elements
// apart. A step `from` of 0 repeats elements, a negative one reverses them.
class GpuCopyLoops {
 public:
  struct Loop {
    int64 size, from, to;
  };

  // Adds the next inner loop. It is merged with the previous one if their steps are contiguous.
  void AddInside(const Loop& loop) {
    if (loop.size == 1) return;
    empty_ |= loop.size == 0;
    Loop* const last = rank_ == 0 ? nullptr : &loops_[rank_ - 1];
    if (last != nullptr && last->from == loop.size * loop.from && last->to == loop.size * loop.to) {
      *last = {last->size * loop.size, loop.from, loop.to};
    } else if (rank_ < kMostLoops) {
      loops_[rank_++] = loop;
    } else {
      too_many_ = true;
    }
  }

  // Enqueues the copy of all elements, of `element_bytes` each. `from` and `to` are device memory: the elements of the
  // first iterations. Returns OK if a loop has no iterations, UNIMPLEMENTED if there are more loops than any array in
  // memory needs, otherwise the status of the launch. Requires: iterations write distinct elements, and the memory read
  // and the memory written do not overlap.
  Status Enqueue(gpuStream_t stream, int64 element_bytes, const void* from, void* to) const;

 private:
  static constexpr int kMostLoops = GpuPlaces<2>::kMostDims;

  // Makes *wide the same copy in elements of `bytes`, a multiple of `element_bytes`. False: they are not aligned.
  bool Widen(int64 element_bytes, int64 bytes, const void* from, const void* to, GpuCopyLoops* wide) const;
  int FindAdjacent() const;

  int rank_ = 0;
  bool empty_ = false, too_many_ = false;
  Loop loops_[kMostLoops];
};

namespace internal {

constexpr int kCopyTile = 32;

// A batch of matrices to transpose: columns[r] of `from` become rows of `to`.
struct GpuTransposition {
  GpuPlaces<2> outer;
  int64 rows = 0, columns = 0;     // of `from`, whose rows are contiguous; its columns become rows of `to`
  int64 from_row = 0, to_row = 0;  // distance between rows
  int64 tiles_down = 0, tiles_across = 0;
};

template <typename E>
__global__ void __launch_bounds__(kGpuThreads) CopyPlaces(int64 n, GpuPlaces<2> places, const E* from, E* to) {
  for (int64 i : GpuGridRangeX(n)) {
    int64 at[2];
    places.Find(i, at);
    to[at[1]] = from[at[0]];
  }
}

// Reads a tile along the rows of `from`, and writes it along those of `to`.
template <typename E>
__global__ void __launch_bounds__(kGpuThreads) TransposeTiles(GpuTransposition work, const E* from, E* to) {
  __shared__ E tile[kCopyTile][kCopyTile + 1];
  constexpr int kStep = kGpuThreads / kCopyTile;
  const int x = static_cast<int>(threadIdx.x) % kCopyTile, y = static_cast<int>(threadIdx.x) / kCopyTile;
  const int64 of_matrix = work.tiles_down * work.tiles_across;
  for (int64 t = blockIdx.x; t < work.outer.count() * of_matrix; t += gridDim.x) {
    int64 at[2];
    work.outer.Find(t / of_matrix, at);
    const int64 row = t % of_matrix / work.tiles_across * kCopyTile, column = t % work.tiles_across * kCopyTile;
    for (int k = y; k < kCopyTile; k += kStep) {
      if (row + k < work.rows && column + x < work.columns) {
        tile[k][x] = from[at[0] + (row + k) * work.from_row + column + x];
      }
    }
    __syncthreads();
    for (int k = y; k < kCopyTile; k += kStep) {
      if (column + k < work.columns && row + x < work.rows) {
        to[at[1] + (column + k) * work.to_row + row + x] = tile[x][k];
      }
    }
    __syncthreads();
  }
}

// packs: the number of whole packs of 16 bytes; 0 if memory is not aligned for them.
template <typename E>
__device__ inline void WriteCopies(int64 packs, int64 n, E element, E* to) {
  constexpr int kPack = kGpuPackSize<E, E>;
  GpuPack<E, kPack> pack;
  for (int k = 0; k < kPack; ++k) pack.elements[k] = element;
  for (int64 i : GpuGridRangeX(packs)) reinterpret_cast<GpuPack<E, kPack>*>(to)[i] = pack;
  for (int64 i : GpuGridRangeX(n - packs * kPack)) to[packs * kPack + i] = element;
}

template <typename E>
__global__ void __launch_bounds__(kGpuThreads) FillElements(int64 packs, int64 n, E element, E* to) {
  WriteCopies(packs, n, element, to);
}

template <typename E>
__global__ void __launch_bounds__(kGpuThreads) RepeatElement(int64 packs, int64 n, const E* from, E* to) {
  WriteCopies(packs, n, *from, to);
}

template <typename E>
int64 PacksOf(int64 n, const E* to) {
  constexpr int kPack = kGpuPackSize<E, E>;
  return IsAlignedFor<E, kPack>(to) ? n / kPack : 0;
}

}  // namespace internal

inline bool GpuCopyLoops::Widen(int64 element_bytes, int64 bytes, const void* from, const void* to,
                                GpuCopyLoops* wide) const {
  const auto fits = [&](int64 n) { return n * element_bytes % bytes == 0; };
  if (reinterpret_cast<uintptr_t>(from) % static_cast<uintptr_t>(bytes) != 0) return false;
  if (reinterpret_cast<uintptr_t>(to) % static_cast<uintptr_t>(bytes) != 0) return false;
  const Loop& inner = loops_[rank_ - 1];
  if (inner.from != 1 || inner.to != 1 || !fits(inner.size)) return false;
  *wide = *this;
  const int64 count = bytes / element_bytes;
  for (int i = 0; i < rank_ - 1; ++i) {
    if (!fits(loops_[i].from) || !fits(loops_[i].to)) return false;
    wide->loops_[i].from /= count;
    wide->loops_[i].to /= count;
  }
  wide->loops_[rank_ - 1].size /= count;
  return true;
}

// The loop that is contiguous in `from` while the innermost loop is contiguous only in `to`; -1 if a transposition does
// not pay.
inline int GpuCopyLoops::FindAdjacent() const {
  constexpr int64 kWorthwhile = 4;
  const Loop& inner = loops_[rank_ - 1];
  if (inner.to != 1 || inner.from == 0 || inner.from == 1 || inner.from == -1 || inner.size < kWorthwhile) return -1;
  for (int i = 0; i < rank_ - 1; ++i) {
    if (loops_[i].from == 1 && loops_[i].size >= kWorthwhile) return i;
  }
  return -1;
}

inline Status GpuCopyLoops::Enqueue(gpuStream_t stream, int64 element_bytes, const void* from, void* to) const {
  if (empty_) return Status();
  if (too_many_) return errors::Unimplemented("A copy on a GPU has at most ", kMostLoops, " nested loops");
  const bool dense = rank_ == 0 || (rank_ == 1 && loops_[0].from == 1 && loops_[0].to == 1);
  if (dense) {
    const int64 n = rank_ == 0 ? 1 : loops_[0].size;
    const auto bytes = static_cast<size_t>(n * element_bytes);
    const cudaError_t error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
    if (TF_PREDICT_TRUE(error == cudaSuccess)) return Status();
    cudaGetLastError();
    return internal::GpuError(error, "A copy cannot be enqueued");
  }
  for (int64 bytes = 16; bytes > element_bytes; bytes /= 2) {
    GpuCopyLoops wide;
    if (Widen(element_bytes, bytes, from, to, &wide)) return wide.Enqueue(stream, bytes, from, to);
  }
  const int adjacent = FindAdjacent();
  GpuPlaces<2> places;
  for (int i = 0; i < (adjacent < 0 ? rank_ : rank_ - 1); ++i) {
    const int64 steps[] = {loops_[i].from, loops_[i].to};
    if (i != adjacent) places.AddInside(loops_[i].size, steps);
  }
  return VisitGpuElement(element_bytes, [&](auto element) {
    typedef decltype(element) E;
    const E* const in = static_cast<const E*>(from);
    E* const out = static_cast<E*>(to);
    const int64 n = places.count();
    if (rank_ == 1 && loops_[0].from == 0 && loops_[0].to == 1) {
      const int64 packs = internal::PacksOf(n, out);
      return GpuLaunchKernel(internal::RepeatElement<E>, GpuBlocks(packs > 0 ? packs : n), kGpuThreads, 0, stream,
                             packs, n, in, out);
    }
    if (adjacent < 0) {
      return GpuLaunchKernel(internal::CopyPlaces<E>, GpuBlocks(n), kGpuThreads, 0, stream, n, places, in, out);
    }
    const Loop &columns = loops_[adjacent], &rows = loops_[rank_ - 1];
    internal::GpuTransposition work = {places, rows.size, columns.size, rows.from, columns.to};
    work.tiles_down = (work.rows - 1) / internal::kCopyTile + 1;
    work.tiles_across = (work.columns - 1) / internal::kCopyTile + 1;
    const int64 tiles = places.count() * work.tiles_down * work.tiles_across;
    const dim3 blocks(static_cast<unsigned>(std::min<int64>(tiles, INT32_MAX)));
    return GpuLaunchKernel(internal::TransposeTiles<E>, blocks, kGpuThreads, 0, stream, work, in, out);
  });
}

// Enqueues setting n elements of `element_bytes` each to the one at `value`, in host memory.
inline Status GpuFill(gpuStream_t stream, int64 n, int64 element_bytes, const void* value, void* to) {
  return VisitGpuElement(element_bytes, [&](auto element) {
    typedef decltype(element) E;
    std::memcpy(&element, value, sizeof element);
    E* const out = static_cast<E*>(to);
    const int64 packs = internal::PacksOf(n, out);
    return GpuLaunchKernel(internal::FillElements<E>, GpuBlocks(packs > 0 ? packs : n), kGpuThreads, 0, stream, packs,
                           n, element, out);
  });
}

}  // namespace OPSRUN_HIDDEN

#endif  // OPSRUN_GPU_CODE
