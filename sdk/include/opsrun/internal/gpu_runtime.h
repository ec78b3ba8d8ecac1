// opsrun/internal/gpu_runtime.h: this plugin's CUDA runtime, under the names that sources for TensorFlow use.
//
// OPSRUN_GPU_CODE is defined in units that may contain kernels: those that nvcc compiles, and those that a C++ compiler
// compiles for a test double of a card (OPSRUN_CUDA_EMULATION). Other units of a plugin with CUDA sources define
// GOOGLE_CUDA: they launch nothing with <<<>>>, but call functions of the runtime.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__CUDACC__) || defined(OPSRUN_CUDA_EMULATION)
#define OPSRUN_GPU_CODE
#endif

#if defined(OPSRUN_GPU_CODE) || defined(GOOGLE_CUDA)
#define OPSRUN_GPU_RUNTIME

#if !defined(__CUDACC__) && !__has_include(<cuda_runtime.h>)
#error "GOOGLE_CUDA needs the headers of the CUDA toolkit: use the flags of `opsrun sdk --cflags --gpu`"
#endif
#include <cuda_runtime.h>

#include "opsrun/namespace.h"
#include "opsrun/status.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

typedef cudaStream_t gpuStream_t;
typedef cudaEvent_t gpuEvent_t;
typedef cudaError_t gpuError_t;
constexpr cudaError_t gpuSuccess = cudaSuccess;

// The runtime keeps the last error of each thread until it is read. Every later launch on that thread would report it
// too, so code that reports an error also clears it.
namespace internal {

// OK for cudaSuccess. `what` is the start of the message: "A CUDA kernel cannot be launched".
OPSRUN_COLD inline Status GpuError(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return Status();
  const error::Code code = error == cudaErrorMemoryAllocation ? error::RESOURCE_EXHAUSTED : error::INTERNAL;
  return Error(code, "%s: %s (%s)", what, cudaGetErrorString(error), cudaGetErrorName(error));
}

// Returns and clears the last error of this thread in this plugin's runtime.
inline Status TakeGpuError() {
  const cudaError_t error = cudaGetLastError();
  if (TF_PREDICT_TRUE(error == cudaSuccess)) return Status();
  return GpuError(error, "A launch or another CUDA call of this kernel failed");
}

}  // namespace internal

}  // namespace OPSRUN_HIDDEN

#endif  // OPSRUN_GPU_CODE || GOOGLE_CUDA
