// opsrun/gpu_launch_config.h: how many blocks and threads to launch for a number of elements.
//
// Kernels with these configurations must loop, as with GPU_1D_KERNEL_LOOP: there may be fewer threads than elements if
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

#include "opsrun/namespace.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

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

#endif  // OPSRUN_GPU_RUNTIME
