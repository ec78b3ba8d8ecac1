// opsrun/gpu_loops.h: loops in __global__ functions over [0, n), which are shared by all threads of the grid.
//
//   GPU_1D_KERNEL_LOOP(i, n) out[i] = in[i];                        // i is an int
//   for (int64 i : GpuGridRangeX(n)) out[i] = in[i];                // i has the type of n
//   GPU_AXIS_KERNEL_LOOP(row, rows, Y) GPU_AXIS_KERNEL_LOOP(column, columns, X) ...
//
// Each index is visited once, whatever the grid; the index never overflows, even if n is the largest number of its
// type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/gpu_runtime.h"

#ifdef OPSRUN_GPU_CODE

#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// The range first, first + step, ... below end, for a range-based for.
template <typename T>
class GpuStridedRange {
 public:
  class Iterator {
   public:
    __device__ Iterator(T index, T step, T end) : index_(index), step_(step), end_(end) {}
    __device__ T operator*() const { return index_; }
    __device__ Iterator& operator++() {
      index_ = end_ - index_ > step_ ? static_cast<T>(index_ + step_) : end_;
      return *this;
    }
    // Only compares with the end.
    __device__ bool operator!=(const Iterator& /*end*/) const { return index_ < end_; }

   private:
    T index_, step_, end_;
  };

  __device__ GpuStridedRange(T first, T step, T end) : first_(first), step_(step), end_(end) {}
  __device__ Iterator begin() const { return Iterator(first_, step_, end_); }
  __device__ Iterator end() const { return Iterator(end_, step_, end_); }

 private:
  T first_, step_, end_;
};

// The part of [0, count) that thread `thread` of `size` in block `block` of `blocks` visits. Positions past the end may
// not fit T, so they are compared before they are converted.
template <typename T>
__device__ inline GpuStridedRange<T> GpuRangeOfThread(unsigned block, unsigned blocks, unsigned thread, unsigned size,
                                                      T count) {
  const unsigned long long end = count > 0 ? static_cast<unsigned long long>(count) : 0;
  const unsigned long long first = static_cast<unsigned long long>(block) * size + thread;
  const unsigned long long step = static_cast<unsigned long long>(blocks) * size;
  return GpuStridedRange<T>(static_cast<T>(first < end ? first : end), static_cast<T>(step < end ? step : end),
                            static_cast<T>(end));
}

}  // namespace internal

template <typename T>
__device__ inline internal::GpuStridedRange<T> GpuGridRangeX(T count) {
  return internal::GpuRangeOfThread<T>(blockIdx.x, gridDim.x, threadIdx.x, blockDim.x, count);
}
template <typename T>
__device__ inline internal::GpuStridedRange<T> GpuGridRangeY(T count) {
  return internal::GpuRangeOfThread<T>(blockIdx.y, gridDim.y, threadIdx.y, blockDim.y, count);
}
template <typename T>
__device__ inline internal::GpuStridedRange<T> GpuGridRangeZ(T count) {
  return internal::GpuRangeOfThread<T>(blockIdx.z, gridDim.z, threadIdx.z, blockDim.z, count);
}

// Names in TensorFlow before 2.0.
template <typename T>
__device__ inline internal::GpuStridedRange<T> CudaGridRangeX(T count) {
  return GpuGridRangeX<T>(count);
}
template <typename T>
__device__ inline internal::GpuStridedRange<T> CudaGridRangeY(T count) {
  return GpuGridRangeY<T>(count);
}
template <typename T>
__device__ inline internal::GpuStridedRange<T> CudaGridRangeZ(T count) {
  return GpuGridRangeZ<T>(count);
}

}  // namespace OPSRUN_HIDDEN

#define GPU_1D_KERNEL_LOOP(i, n) for (int i : ::OPSRUN_NAMESPACE::GpuGridRangeX<int>(static_cast<int>(n)))
#define GPU_AXIS_KERNEL_LOOP(i, n, axis) for (int i : ::OPSRUN_NAMESPACE::GpuGridRange##axis<int>(static_cast<int>(n)))
#define CUDA_1D_KERNEL_LOOP(i, n) GPU_1D_KERNEL_LOOP(i, n)
#define CUDA_AXIS_KERNEL_LOOP(i, n, axis) GPU_AXIS_KERNEL_LOOP(i, n, axis)

#endif  // OPSRUN_GPU_CODE
