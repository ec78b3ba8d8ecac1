// opsrun/internal/gpu_errors.h: errors of the CUDA runtime as statuses.
//
// The runtime keeps the last error of each thread until it is read. Every later launch on that thread would report it
// too, so code that reports an error also clears it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/gpu_runtime.h"

#ifdef OPSRUN_GPU_RUNTIME

#include "opsrun/status.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
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

#endif  // OPSRUN_GPU_RUNTIME
