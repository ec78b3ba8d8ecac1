// opsrun/gpu_launch.h: GpuLaunchKernel, which launches a __global__ function and returns a status.
//
//   const GpuLaunchConfig config = GetGpuLaunchConfig(n, device);
//   return GpuLaunchKernel(Scale<T>, config.block_count, config.thread_per_block, 0, device.stream(), n, in, out);
//
// The arguments are converted to the types of the kernel's parameters, as with <<<>>>.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/gpu_runtime.h"

#ifdef OPSRUN_GPU_RUNTIME

#include <stddef.h>

#include <tuple>
#include <type_traits>

#include "opsrun/internal/gpu_watch.h"
#include "opsrun/namespace.h"
#include "opsrun/status.h"

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

}  // namespace OPSRUN_HIDDEN

#endif  // OPSRUN_GPU_RUNTIME
