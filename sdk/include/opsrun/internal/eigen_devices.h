// opsrun/internal/eigen_devices.h: how Eigen's devices are made for a call. Included once Eigen and device_box.h are both in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/thread_pool_device.h"
#ifdef EIGEN_USE_GPU
#include "opsrun/gpu_device.h"
#endif
