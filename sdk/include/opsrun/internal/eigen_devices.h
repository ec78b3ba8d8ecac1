// opsrun/internal/eigen_devices.h: how Eigen's devices are made. Included after both Eigen and device_box.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/thread_pool_device.h"
#ifdef EIGEN_USE_GPU
#include "opsrun/internal/gpu_device.h"
#endif
