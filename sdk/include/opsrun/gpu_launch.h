// opsrun/gpu_launch.h: GpuLaunchKernel, which launches a __global__ function and returns a status; how many blocks and
// threads to launch for a number of elements, and the loops over them.
//
//   const GpuLaunchConfig config = GetGpuLaunchConfig(n, device);
//   return GpuLaunchKernel(Scale<T>, config.block_count, config.thread_per_block, 0, device.stream(), n, in, out);
//
// The arguments are converted to the types of the kernel's parameters, as with <<<>>>.
//
// Kernels with such a configuration must loop, as with GPU_1D_KERNEL_LOOP: there may be fewer threads than elements if
// more threads could not run at the same time. If the kernel is given, the block size is the one with the best
// occupancy; otherwise it is 256. A count of zero gives a configuration without blocks, which GpuLaunchKernel accepts.
// `device` is the Eigen::GpuDevice of the call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/gpu_runtime.h"

#ifdef OPSRUN_GPU_RUNTIME

#include <stddef.h>
#include <stdint.h>

#include <algorithm>
#include <tuple>
#include <type_traits>

#include "opsrun/namespace.h"
#include "opsrun/status.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

constexpr bool IsEmptyGrid(const dim3& size) {
  return size.x == 0 || size.y == 0 || size.z == 0;
}

}  // namespace internal

// Enqueues kernel(arguments...) on the stream. A grid without blocks, as GetGpuLaunchConfig returns for no elements, is
// valid: nothing is launched. If the launch fails, returns INTERNAL with CUDA's message, and clears the error. The host
// reports errors of the kernel itself later.
template <typename... Parameters, typename... Arguments>
Status GpuLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared_bytes, gpuStream_t stream,
                       Arguments... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "a kernel gets one argument for each parameter");
  static_assert((!std::is_reference_v<Parameters> && ...), "a kernel cannot refer to variables of the CPU");
  if (internal::IsEmptyGrid(grid)) return Status();
  internal::NoteGpuStream(stream, "GpuLaunchKernel");
  std::tuple<std::remove_cv_t<Parameters>...> values(static_cast<Parameters>(arguments)...);
  const cudaError_t error = std::apply(
      [&](auto&... value) {
        void* places[] = {&value..., nullptr};  // one extra, because an array cannot be empty
        return cudaLaunchKernel(kernel, grid, block, places, shared_bytes, stream);
      },
      values);
  if (TF_PREDICT_TRUE(error == cudaSuccess)) return Status();
  cudaGetLastError();
  return internal::GpuError(error, "A CUDA kernel cannot be launched");
}

// The stream of the call, on which the kernels of the op must be launched.
template <typename Context>
gpuStream_t GetGpuStream(Context* context) {
  return context->gpu_stream();
}

// -1: not configured.
struct GpuLaunchConfig {
  int virtual_thread_count = -1;  // elements
  int thread_per_block = -1;
  int block_count = -1;
};

// For counts that need 64 bits.
struct GpuLaunchConfigBig {
  int64 virtual_thread_count = -1;
  int thread_per_block = -1;
  int block_count = -1;
};

struct Gpu2DLaunchConfig {
  dim3 virtual_thread_count = dim3(0, 0, 0);
  dim3 thread_per_block = dim3(0, 0, 0);
  dim3 block_count = dim3(0, 0, 0);
};
typedef Gpu2DLaunchConfig Gpu3DLaunchConfig;

namespace internal {

constexpr int kThreadsOfBlock = 256;
// The limit along y and z on all current cards.
constexpr int64 kMostBlocksOfAxis = 65535;

inline int64 BlocksFor(int64 count, int64 threads) {
  return (count + threads - 1) / threads;
}

// As many blocks as run at a time; fewer if the elements do not need them.
inline int LoopingBlocks(int64 count, int threads, int64 resident) {
  return count <= 0 ? 0 : static_cast<int>(std::min(BlocksFor(count, threads), std::max<int64>(resident, 1)));
}

template <typename Device>
int64 ResidentBlocks(const Device& device, int threads) {
  return int64{device.getNumGpuMultiProcessors()} * (device.maxGpuThreadsPerMultiProcessor() / threads);
}

// The occupancy, computed by the runtime from the kernel's registers and shared memory. On an error, such as a kernel
// without code for this card, the launch will fail too and report it; the error is cleared here.
template <typename Kernel>
GpuLaunchConfigBig ConfigByOccupancy(int64 count, Kernel kernel, size_t shared_bytes, int most_threads) {
  int threads = 0, blocks = 0;
  if (cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, kernel, shared_bytes, most_threads) != cudaSuccess) {
    cudaGetLastError();
    blocks = 1, threads = 32;
  }
  return {count, threads, LoopingBlocks(count, threads, blocks)};
}

template <typename Kernel, typename Device>
GpuLaunchConfigBig ConfigOfBlockSize(int64 count, const Device& device, Kernel kernel, size_t shared_bytes,
                                     int threads) {
  int blocks_of_processor = 0;
  if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_of_processor, kernel, threads, shared_bytes) !=
      cudaSuccess) {
    cudaGetLastError();
  }
  const int64 resident = int64{blocks_of_processor} * device.getNumGpuMultiProcessors();
  return {count, threads, LoopingBlocks(count, threads, resident)};
}

inline GpuLaunchConfig Narrow(const GpuLaunchConfigBig& config) {
  return {static_cast<int>(config.virtual_thread_count), config.thread_per_block, config.block_count};
}

// The largest power of two that is at most n. Requires: n >= 1.
constexpr int FloorPowerOfTwo(int n) {
  int power = 1;
  while (power <= n / 2) power *= 2;
  return power;
}

// Splits `threads` over the axes: along x first, so that neighboring threads read neighboring elements.
inline dim3 BlockOf(int threads, int64 x, int64 y, int64 z) {
  constexpr int64 kMostAlongZ = 64;
  const auto along = [&threads](int64 count) {
    const int64 most = std::max<int64>(std::min<int64>(count, threads), 1);
    // The power of two that covers the axis, so that the remaining threads can be divided.
    int size = FloorPowerOfTwo(static_cast<int>(most));
    if (size < most && size * 2 <= threads) size *= 2;
    threads /= size;
    return static_cast<unsigned>(size);
  };
  const unsigned of_x = along(x), of_y = along(y);
  return dim3(of_x, of_y, along(std::min(z, kMostAlongZ)));
}

inline Gpu3DLaunchConfig ConfigOfAxes(int64 x, int64 y, int64 z, int threads, int64 resident) {
  Gpu3DLaunchConfig config;
  if (x <= 0 || y <= 0 || z <= 0) return config;
  const dim3 block = BlockOf(FloorPowerOfTwo(threads), x, y, z);
  const int64 limit = std::max<int64>(resident, 1);
  const int64 blocks_x = std::min(BlocksFor(x, block.x), limit);
  const int64 blocks_y = std::min({BlocksFor(y, block.y), std::max<int64>(limit / blocks_x, 1), kMostBlocksOfAxis});
  const int64 blocks_z =
      std::min({BlocksFor(z, block.z), std::max<int64>(limit / (blocks_x * blocks_y), 1), kMostBlocksOfAxis});
  config.virtual_thread_count = dim3(static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z));
  config.thread_per_block = block;
  config.block_count =
      dim3(static_cast<unsigned>(blocks_x), static_cast<unsigned>(blocks_y), static_cast<unsigned>(blocks_z));
  return config;
}

}  // namespace internal

// One dimension.
template <typename Device>
GpuLaunchConfigBig GetGpuLaunchConfigBig(int64 work_element_count, const Device& device) {
  constexpr int kThreads = internal::kThreadsOfBlock;
  const int64 resident = internal::ResidentBlocks(device, kThreads);
  return {work_element_count, kThreads, internal::LoopingBlocks(work_element_count, kThreads, resident)};
}
template <typename Device>
GpuLaunchConfig GetGpuLaunchConfig(int work_element_count, const Device& device) {
  return internal::Narrow(GetGpuLaunchConfigBig(work_element_count, device));
}

// By occupancy. block_size_limit: the maximum number of threads per block; 0: the card's limit.
template <typename Device, typename Kernel>
GpuLaunchConfigBig GetGpuLaunchConfigBig(int64 work_element_count, const Device& /*device*/, Kernel kernel,
                                         size_t dynamic_shared_memory_size, int block_size_limit) {
  return internal::ConfigByOccupancy(work_element_count, kernel, dynamic_shared_memory_size, block_size_limit);
}
template <typename Device, typename Kernel>
GpuLaunchConfig GetGpuLaunchConfig(int work_element_count, const Device& device, Kernel kernel,
                                   size_t dynamic_shared_memory_size, int block_size_limit) {
  return internal::Narrow(
      GetGpuLaunchConfigBig(work_element_count, device, kernel, dynamic_shared_memory_size, block_size_limit));
}

// With a fixed block size, for kernels whose shared memory depends on it.
template <typename Device, typename Kernel>
GpuLaunchConfig GetGpuLaunchConfigFixedBlockSize(int work_element_count, const Device& device, Kernel kernel,
                                                 size_t dynamic_shared_memory_size, int fixed_block_size) {
  return internal::Narrow(
      internal::ConfigOfBlockSize(work_element_count, device, kernel, dynamic_shared_memory_size, fixed_block_size));
}

// For two and three dimensions, each with a GPU_AXIS_KERNEL_LOOP.
template <typename Device>
Gpu3DLaunchConfig GetGpu3DLaunchConfig(int xdim, int ydim, int zdim, const Device& device) {
  constexpr int kThreads = internal::kThreadsOfBlock;
  return internal::ConfigOfAxes(xdim, ydim, zdim, kThreads, internal::ResidentBlocks(device, kThreads));
}
template <typename Device, typename Kernel>
Gpu3DLaunchConfig GetGpu3DLaunchConfig(int xdim, int ydim, int zdim, const Device& device, Kernel kernel,
                                       size_t dynamic_shared_memory_size, int block_size_limit) {
  const GpuLaunchConfigBig best =
      internal::ConfigByOccupancy(INT64_MAX / 2, kernel, dynamic_shared_memory_size, block_size_limit);
  const int threads = internal::FloorPowerOfTwo(best.thread_per_block);
  const GpuLaunchConfigBig resident =
      internal::ConfigOfBlockSize(INT64_MAX / 2, device, kernel, dynamic_shared_memory_size, threads);
  return internal::ConfigOfAxes(xdim, ydim, zdim, threads, resident.block_count);
}
template <typename Device>
Gpu2DLaunchConfig GetGpu2DLaunchConfig(int xdim, int ydim, const Device& device) {
  return GetGpu3DLaunchConfig(xdim, ydim, 1, device);
}
template <typename Device, typename Kernel>
Gpu2DLaunchConfig GetGpu2DLaunchConfig(int xdim, int ydim, const Device& device, Kernel kernel,
                                       size_t dynamic_shared_memory_size, int block_size_limit) {
  return GetGpu3DLaunchConfig(xdim, ydim, 1, device, kernel, dynamic_shared_memory_size, block_size_limit);
}

}  // namespace OPSRUN_HIDDEN

#ifdef OPSRUN_GPU_CODE

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// Loops over [0, n), which are shared by all threads of the grid.
//
//   GPU_1D_KERNEL_LOOP(i, n) out[i] = in[i];                        // i is an int
//   for (int64 i : GpuGridRangeX(n)) out[i] = in[i];                // i has the type of n
//   GPU_AXIS_KERNEL_LOOP(row, rows, Y) GPU_AXIS_KERNEL_LOOP(column, columns, X) ...
//
// Each index is visited once, whatever the grid; the index never overflows, even if n is the largest number of its
// type.

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

#define GPU_1D_KERNEL_LOOP(i, n) for (int i : ::OPSRUN_NAMESPACE::GpuGridRangeX<int>(static_cast<int>(n)))
#define GPU_AXIS_KERNEL_LOOP(i, n, axis) for (int i : ::OPSRUN_NAMESPACE::GpuGridRange##axis<int>(static_cast<int>(n)))
#define CUDA_1D_KERNEL_LOOP(i, n) GPU_1D_KERNEL_LOOP(i, n)
#define CUDA_AXIS_KERNEL_LOOP(i, n, axis) GPU_AXIS_KERNEL_LOOP(i, n, axis)

// Kernels that set every element of an array.
//
//   GpuLaunchKernel(SetToValue<T>, config.block_count, config.thread_per_block, 0, stream, n, out, value);

template <typename T>
__global__ void SetZero(int count, T* to) {
  GPU_1D_KERNEL_LOOP(i, count) to[i] = T(0);
}

template <typename T>
__global__ void SetToValue(int count, T* to, T value) {
  GPU_1D_KERNEL_LOOP(i, count) to[i] = value;
}

}  // namespace OPSRUN_HIDDEN

#endif  // OPSRUN_GPU_CODE

#endif  // OPSRUN_GPU_RUNTIME
