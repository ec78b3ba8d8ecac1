// opsrun/gpu_fill.h: kernels that set every element of an array.
//
//   GpuLaunchKernel(SetToValue<T>, config.block_count, config.thread_per_block, 0, stream, n, out, value);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/gpu_runtime.h"

#ifdef OPSRUN_GPU_CODE

#include "opsrun/gpu_loops.h"
#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

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
