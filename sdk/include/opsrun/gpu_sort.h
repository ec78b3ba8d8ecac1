// opsrun/gpu_sort.h: sorts rows by their keys in device memory, so that all rows with a key can be added in one order:
// sums of floats are then the same in every run and on every card, which they are not with atomic operations.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/gpu_runtime.h"

#ifdef OPSRUN_GPU_CODE

#include <cstdint>
#include <utility>

#include "opsrun/gpu_device_functions.h"
#include "opsrun/gpu_elements.h"
#include "opsrun/gpu_launch.h"
#include "opsrun/namespace.h"
#include "opsrun/status.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// A row that something else is stored for, and its key.
struct alignas(16) GpuKeyedRow {
  int64 key, row;
};

// The first of rows[begin], ..., rows[end - 1] whose key is not below `key` or, if kAbove, is above it; or `end`.
// Requires: they are sorted.
template <bool kAbove = false>
__device__ inline int64 GpuFirstNotBelow(const GpuKeyedRow* rows, int64 begin, int64 end, int64 key) {
  while (begin < end) {
    const int64 middle = begin + (end - begin) / 2;
    if (rows[middle].key < key || (kAbove && rows[middle].key == key)) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

namespace internal {

// Merges pairs of sorted runs of `run` rows, a power of two. Every row finds its position by counting the rows of the
// other run that precede it; of equal ones, those of the first run do. A template, so that one definition is linked.
template <typename Row>
__global__ void __launch_bounds__(kGpuThreads) GpuMergeRuns(int64 n, int64 run, const Row* from, Row* to) {
  for (int64 i : GpuGridRangeX(n)) {
    const int64 pair = i & ~(2 * run - 1), second = pair + run < n ? pair + run : n;
    const int64 end = second + run < n ? second + run : n;
    const int64 key = from[i].key;
    const int64 place = i < second ? i + GpuFirstNotBelow(from, second, end, key) - second
                                   : i + GpuFirstNotBelow<true>(from, pair, second, key) - second;
    to[place] = from[i];
  }
}

}  // namespace internal

// Enqueues a stable sort of n rows by their keys, and sets *sorted to `rows` or `scratch`, which will hold the result.
// Both are device memory for n rows; the other one is overwritten. Returns the status of the launches. Any thread.
inline Status GpuSortByKey(gpuStream_t stream, int64 n, GpuKeyedRow* rows, GpuKeyedRow* scratch,
                           const GpuKeyedRow** sorted) {
  for (int64 run = 1; run < n; run *= 2, std::swap(rows, scratch)) {
    const GpuKeyedRow* const from = rows;
    TF_RETURN_IF_ERROR(GpuLaunchKernel(internal::GpuMergeRuns<GpuKeyedRow>, GpuBlocks(n), kGpuThreads, 0, stream, n,
                                       run, from, scratch));
  }
  *sorted = rows;
  return Status();
}

// Row `key` of `out` = the sum of the rows of `values` with that key, in their order. Rows have `width` elements; those
// of `out` without a key keep theirs. Launch it for n * width elements, with the sorted rows of GpuSortByKey. Sum: the
// type of the sum, which is converted to T at the end.
template <typename Sum, typename T>
__global__ void __launch_bounds__(kGpuThreads)
    GpuAddSortedRows(int64 n, int64 width, const GpuKeyedRow* sorted, const T* values, T* out) {
  for (int64 i : GpuGridRangeX(n * width)) {
    const int64 first = i / width, column = i % width, key = sorted[first].key;
    if (first > 0 && sorted[first - 1].key == key) continue;
    Sum sum = static_cast<Sum>(0);
    for (int64 k = first; k < n && sorted[k].key == key; ++k) {
      sum = static_cast<Sum>(sum + static_cast<Sum>(values[sorted[k].row * width + column]));
    }
    out[key * width + column] = static_cast<T>(sum);
  }
}

}  // namespace OPSRUN_HIDDEN

#endif  // OPSRUN_GPU_CODE
