// opsrun/gpu_kernel_helper.h: all that a .cu.cc file needs: launches, loops, what kernels call, and the CUDA note.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__CUDACC__) || defined(OPSRUN_CUDA_EMULATED)

#include "opsrun/gpu_device_functions.h"
#include "opsrun/gpu_launch.h"
#include "opsrun/internal/cuda_note.h"

#endif
