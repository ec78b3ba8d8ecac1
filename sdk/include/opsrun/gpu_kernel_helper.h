// opsrun/gpu_kernel_helper.h: loops, launch configurations and the CUDA note for .cu.cc files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef __CUDACC__

#include <cuda_runtime.h>

#include "opsrun/internal/cuda_note.h"
#include "opsrun/namespace.h"
#include "opsrun/status.h"
#include "opsrun/types.h"

// A loop over [0, n) in a __global__ function; correct for any grid.
#define GPU_1D_KERNEL_LOOP(i, n)                                                                 \
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < static_cast<int>(n); \
       i += static_cast<int>(blockDim.x * gridDim.x))
#define CUDA_1D_KERNEL_LOOP(i, n) GPU_1D_KERNEL_LOOP(i, n)

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

typedef cudaStream_t gpuStream_t;

// A launch configuration with one thread per element, or fewer threads that loop over the elements.
struct GpuLaunchConfig {
  int virtual_thread_count = -1;
  int thread_per_block = -1;
  int block_count = -1;
};

// Requires: work_element_count > 0. Only the type of the device is used.
template <typename Device>
GpuLaunchConfig GetGpuLaunchConfig(int work_element_count, const Device& /*device*/) {
  constexpr int kThreads = 256, kMaxBlocks = 65535;
  const int blocks = (work_element_count + kThreads - 1) / kThreads;
  return {work_element_count, kThreads, blocks < kMaxBlocks ? blocks : kMaxBlocks};
}

// Launches kernel(arguments...). If the launch fails, returns INTERNAL with CUDA's error message.
template <typename... Parameters, typename... Arguments>
Status GpuLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared_bytes, gpuStream_t stream,
                       Arguments... arguments) {
  kernel<<<grid, block, shared_bytes, stream>>>(arguments...);
  const cudaError_t error = cudaPeekAtLastError();
  if (error == cudaSuccess) return Status::OK();
  return errors::Internal("A CUDA kernel cannot be launched: ", cudaGetErrorString(error));
}

}  // namespace OPSRUN_HIDDEN

#endif  // __CUDACC__
