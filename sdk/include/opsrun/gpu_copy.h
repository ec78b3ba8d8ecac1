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
  bool HasLongRows(int64 element_bytes) const;
  // Copies rows in elements of type E, which divide them. Requires: HasLongRows.
  template <typename E>
  Status EnqueueRows(gpuStream_t stream, int64 element_bytes, const void* from, void* to) const;
  int FindAdjacent() const;

  int rank_ = 0;
  bool empty_ = false, too_many_ = false;
  Loop loops_[kMostLoops];
};

// Rows are copied in pieces, of which each is in 16 aligned bytes of `to`.

// The number of pieces of a row of n elements; the last one may be empty.
template <typename E>
__host__ __device__ constexpr int64 GpuPiecesOf(int64 n) {
  return (n + 2 * (kGpuPackSize<E, E> - 1)) / kGpuPackSize<E, E>;
}

template <typename E>
__device__ inline void GpuCopyPiece(int64 n, int64 piece, const E* from, E* to) {
  constexpr int kPack = kGpuPackSize<E, E>;
  const auto before = static_cast<int64>(reinterpret_cast<uintptr_t>(to) % 16 / sizeof(E));
  const int64 i = piece * kPack - before;
  if (i >= 0 && i + kPack <= n) {
    *reinterpret_cast<GpuPack<E, kPack>*>(to + i) = GpuReadPack(from + i, from, from + n);
    return;
  }
  GpuPack<E, kPack> pack = {};
  for (int k = 0; k < kPack; ++k) {
    if (i + k >= 0 && i + k < n) pack.elements[k] = from[i + k];
  }
  for (int k = 0; k < kPack; ++k) {
    if (i + k >= 0 && i + k < n) to[i + k] = pack.elements[k];
  }
}

// Rows of fewer bytes have too many pieces at their ends.
constexpr int64 kGpuLeastRow = 256;

namespace internal {

// Along both sides of a tile, so that it has 256 bytes of a row of the elements that are most common.
template <typename E>
constexpr int kCopyTile = sizeof(E) <= 4 ? 64 : 32;

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

// rows: operand 0 is where a row begins in `from`, operand 1 in `to`. n: the elements of a row.
template <typename E>
__global__ void __launch_bounds__(kGpuThreads) CopyRows(int64 n, GpuPlaces<2> rows, const E* from, E* to) {
  const int64 pieces = GpuPiecesOf<E>(n);
  for (int64 i : GpuGridRangeX(rows.count() * pieces)) {
    int64 at[2];
    rows.Find(i / pieces, at);
    GpuCopyPiece(n, i % pieces, from + at[0], to + at[1]);
  }
}

// Reads a tile along the rows of `from`, and writes it along those of `to`. A thread reads all of its elements before
// it stores one, so that many reads are under way.
template <typename E>
__global__ void __launch_bounds__(kGpuThreads) TransposeTiles(GpuTransposition work, const E* from, E* to) {
  constexpr int kSide = kCopyTile<E>, kStep = kGpuThreads / kSide, kOwn = kSide / kStep;
  __shared__ E tile[kSide][kSide + 1];
  const int x = static_cast<int>(threadIdx.x) % kSide, y = static_cast<int>(threadIdx.x) / kSide;
  const int64 of_matrix = work.tiles_down * work.tiles_across;
  for (int64 t = blockIdx.x; t < work.outer.count() * of_matrix; t += gridDim.x) {
    int64 at[2];
    work.outer.Find(t / of_matrix, at);
    const int64 row = t % of_matrix / work.tiles_across * kSide, column = t % work.tiles_across * kSide;
    const int rows = static_cast<int>(work.rows - row < kSide ? work.rows - row : kSide);
    const int columns = static_cast<int>(work.columns - column < kSide ? work.columns - column : kSide);
    const E* in = from + at[0] + (row + y) * work.from_row + column + x;
    E own[kOwn];
    for (int k = 0; k < kOwn; ++k, in += kStep * work.from_row) {
      own[k] = y + k * kStep < rows && x < columns ? *in : E();
    }
    for (int k = 0; k < kOwn; ++k) tile[y + k * kStep][x] = own[k];
    __syncthreads();
    E* out = to + at[1] + (column + y) * work.to_row + row + x;
    for (int k = 0; k < kOwn; ++k, out += kStep * work.to_row) {
      if (y + k * kStep < columns && x < rows) *out = tile[x][y + k * kStep];
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

inline bool GpuCopyLoops::HasLongRows(int64 element_bytes) const {
  const Loop& inner = loops_[rank_ - 1];
  return inner.from == 1 && inner.to == 1 && inner.size * element_bytes >= kGpuLeastRow;
}

template <typename E>
Status GpuCopyLoops::EnqueueRows(gpuStream_t stream, int64 element_bytes, const void* from, void* to) const {
  const auto in_units = [&](int64 elements) { return elements * element_bytes / static_cast<int64>(sizeof(E)); };
  GpuPlaces<2> rows;
  for (int i = 0; i < rank_ - 1; ++i) {
    const int64 steps[] = {in_units(loops_[i].from), in_units(loops_[i].to)};
    rows.AddInside(loops_[i].size, steps);
  }
  const int64 n = in_units(loops_[rank_ - 1].size);
  return GpuLaunchKernel(internal::CopyRows<E>, GpuBlocks(rows.count() * GpuPiecesOf<E>(n)), kGpuThreads, 0, stream, n,
                         rows, static_cast<const E*>(from), static_cast<E*>(to));
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
    if (!HasLongRows(element_bytes)) continue;
    return Widen(element_bytes, element_bytes < 4 ? 4 : element_bytes, from, to, &wide)
               ? EnqueueRows<uint32_t>(stream, element_bytes, from, to)
               : EnqueueRows<uint8_t>(stream, element_bytes, from, to);
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
    work.tiles_down = (work.rows - 1) / internal::kCopyTile<E> + 1;
    work.tiles_across = (work.columns - 1) / internal::kCopyTile<E> + 1;
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
