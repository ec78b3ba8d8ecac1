// opsrun/internal/host_device.h: OPSRUN_HOST_DEVICE, for functions that GPU kernels call too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef __CUDACC__
#define OPSRUN_HOST_DEVICE __host__ __device__
#else
#define OPSRUN_HOST_DEVICE
#endif
