// opsrun/internal/gpu_old_names.h: launches and their configurations under the names of TensorFlow before 2.0.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/gpu_launch.h"
#include "opsrun/gpu_launch_config.h"

#ifdef OPSRUN_GPU_RUNTIME

#include <utility>

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

typedef GpuLaunchConfig CudaLaunchConfig;
typedef Gpu2DLaunchConfig Cuda2DLaunchConfig;
typedef Gpu3DLaunchConfig Cuda3DLaunchConfig;

#define OPSRUN_OLD_NAME(old_name, name)                 \
  template <typename... Arguments>                      \
  auto old_name(Arguments&&... arguments) {             \
    return name(std::forward<Arguments>(arguments)...); \
  }
OPSRUN_OLD_NAME(GetCudaLaunchConfig, GetGpuLaunchConfig)
OPSRUN_OLD_NAME(GetCudaLaunchConfigFixedBlockSize, GetGpuLaunchConfigFixedBlockSize)
OPSRUN_OLD_NAME(GetCuda2DLaunchConfig, GetGpu2DLaunchConfig)
OPSRUN_OLD_NAME(GetCuda3DLaunchConfig, GetGpu3DLaunchConfig)
OPSRUN_OLD_NAME(CudaLaunchKernel, GpuLaunchKernel)
#undef OPSRUN_OLD_NAME

}  // namespace OPSRUN_HIDDEN

#endif  // OPSRUN_GPU_RUNTIME
