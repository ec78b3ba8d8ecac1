// opsrun/internal/eigen_devices.h: creates Eigen's devices. Included after both Eigen and device_box.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/thread_pool_device.h"
#if defined(EIGEN_USE_GPU) && (defined(GOOGLE_CUDA) || defined(__CUDACC__) || defined(OPSRUN_CUDA_EMULATION))
#include "opsrun/internal/gpu_device.h"
#endif
