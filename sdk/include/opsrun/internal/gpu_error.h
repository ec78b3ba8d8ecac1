// opsrun/internal/gpu_error.h: what the CUDA runtime says after a kernel of the GPU, in units that use it.
//
// A launch that fails, in the form <<<...>>>, tells nobody: it leaves an error behind, which a later launch would be
// blamed for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/c_api.h"
#include "opsrun/namespace.h"
#include "opsrun/status.h"

#if defined(GOOGLE_CUDA) && __has_include(<cuda_runtime_api.h>)
#include <cuda_runtime_api.h>
#define OPSRUN_CUDA_UNIT true
#else
#define OPSRUN_CUDA_UNIT false
#endif

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// Clears the error of this thread. A template, so that units with and without CUDA have functions of their own.
template <bool kCuda>
Status GpuError(const opsrun_call* /*call*/) {
  return Status();
}
#if OPSRUN_CUDA_UNIT
template <>
inline Status GpuError<true>(const opsrun_call* call) {
  if (call->device.type != OPSRUN_DEVICE_CUDA) return Status();
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return Status();
  return errors::Internal("CUDA says after this kernel: ", cudaGetErrorString(error), " (", cudaGetErrorName(error),
                          ")");
}
#endif

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
