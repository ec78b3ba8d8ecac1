// opsrun/gpu_launch.h: how many threads a kernel is launched with, and launching it. For .cu.cc files.
//
// Configurations follow TensorFlow's rules: no more threads than the card runs at a time, which then loop over the
// elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <algorithm>

#include "opsrun/namespace.h"
#include "opsrun/status.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

typedef cudaStream_t gpuStream_t;
typedef cudaError_t gpuError_t;

// thread_per_block threads in each of block_count blocks, for virtual_thread_count elements.
struct GpuLaunchConfig {
  int virtual_thread_count = -1;
  int thread_per_block = -1;
  int block_count = -1;
};
typedef GpuLaunchConfig CudaLaunchConfig;

struct Gpu2DLaunchConfig {
  dim3 virtual_thread_count = dim3(0, 0, 0);
  dim3 thread_per_block = dim3(0, 0, 0);
  dim3 block_count = dim3(0, 0, 0);
};
typedef Gpu2DLaunchConfig Cuda2DLaunchConfig;
typedef Gpu2DLaunchConfig Gpu3DLaunchConfig;
typedef Gpu2DLaunchConfig Cuda3DLaunchConfig;

namespace internal {

inline int DivideUp(int a, int b) {
  return (a + b - 1) / b;
}

}  // namespace internal

// One thread per element, or as many as the card runs at a time. d: an Eigen::GpuDevice. Requires: elements > 0.
template <typename Device>
GpuLaunchConfig GetGpuLaunchConfig(int elements, const Device& d) {
  const int at_a_time = d.getNumGpuMultiProcessors() * d.maxGpuThreadsPerMultiProcessor();
  const int threads = std::min(std::min(1024, d.maxGpuThreadsPerBlock()), elements);
  const int blocks = std::min(internal::DivideUp(std::min(at_a_time, elements), threads), d.getNumGpuMultiProcessors());
  return {elements, threads, std::max(blocks, 1)};
}

// As many threads as CUDA's occupancy calculator thinks best for `kernel`, which uses so many bytes of shared memory
// that the launch asks for. block_size_limit: the most threads of a block, 0 for any.
template <typename Device, typename Kernel>
GpuLaunchConfig GetGpuLaunchConfig(int elements, const Device& /*d*/, Kernel kernel, size_t dynamic_shared_memory_size,
                                   int block_size_limit) {
  int blocks = 0, threads = 0;
  if (cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, kernel, dynamic_shared_memory_size, block_size_limit) !=
      cudaSuccess) {
    blocks = 1, threads = 256;
  }
  return {elements, threads, std::max(std::min(blocks, internal::DivideUp(elements, threads)), 1)};
}

// The same with blocks of exactly `fixed_block_size` threads.
template <typename Device, typename Kernel>
GpuLaunchConfig GetGpuLaunchConfigFixedBlockSize(int elements, const Device& d, Kernel kernel,
                                                 size_t dynamic_shared_memory_size, int fixed_block_size) {
  int blocks = 0;
  if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, fixed_block_size, dynamic_shared_memory_size) !=
      cudaSuccess) {
    blocks = 1;
  }
  const int most = blocks * d.getNumGpuMultiProcessors();
  return {elements, fixed_block_size, std::max(std::min(most, internal::DivideUp(elements, fixed_block_size)), 1)};
}

// For xdim x ydim elements: a block has up to 256 threads in x, and the rest of them in y.
template <typename Device>
Gpu2DLaunchConfig GetGpu2DLaunchConfig(int xdim, int ydim, const Device& d) {
  Gpu2DLaunchConfig config;
  if (xdim <= 0 || ydim <= 0) return config;
  constexpr int kThreads = 256;
  const int columns = std::min(xdim, kThreads), rows = std::max(kThreads / columns, 1);
  const int at_a_time = d.getNumGpuMultiProcessors() * d.maxGpuThreadsPerMultiProcessor();
  const int most = std::max(at_a_time / kThreads, 1);
  const int x = std::min(internal::DivideUp(xdim, columns), most);
  config.virtual_thread_count = dim3(static_cast<unsigned>(xdim), static_cast<unsigned>(ydim), 1);
  config.thread_per_block = dim3(static_cast<unsigned>(columns), static_cast<unsigned>(rows), 1);
  config.block_count = dim3(static_cast<unsigned>(x),
                            static_cast<unsigned>(std::min(std::max(most / x, 1), internal::DivideUp(ydim, rows))), 1);
  return config;
}

template <typename Device>
CudaLaunchConfig GetCudaLaunchConfig(int elements, const Device& d) {
  return GetGpuLaunchConfig(elements, d);
}
template <typename Device>
Cuda2DLaunchConfig GetCuda2DLaunchConfig(int xdim, int ydim, const Device& d) {
  return GetGpu2DLaunchConfig(xdim, ydim, d);
}

// Launches kernel(arguments...) on the stream. INTERNAL, with CUDA's text, if the launch fails; the error is cleared,
// so that it is not taken for one of a later launch.
template <typename... Parameters, typename... Arguments>
Status GpuLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared_bytes, gpuStream_t stream,
                       Arguments... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "the kernel has another number of parameters");
#ifdef OPSRUN_CUDA_EMULATED
  const cudaError_t error = ::opsrun_emulation::LaunchWith<Parameters...>(kernel, {grid, block, shared_bytes}, stream,
                                                                          static_cast<Parameters>(arguments)...);
#else
  const auto launch = [&](Parameters... values) {
    void* pointers[] = {static_cast<void*>(&values)..., nullptr};
    return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, pointers, shared_bytes, stream);
  };
  const cudaError_t error = launch(static_cast<Parameters>(arguments)...);
#endif
  if (error == cudaSuccess) return Status::OK();
  cudaGetLastError();
  return errors::Internal("A CUDA kernel cannot be launched: ", cudaGetErrorString(error));
}

}  // namespace OPSRUN_HIDDEN
