// opsrun/gpu_kernel_helper.h: everything that the CUDA sources of a plugin need, under TensorFlow's names.
//
// Include it in .cu.cc files, behind the header of the op. It also writes the CUDA note of the unit, from which the
// host knows for which cards there is code. In a .cc file of a plugin with CUDA sources (GOOGLE_CUDA) it offers
// launches and launch configurations only; anywhere else it is empty.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/gpu_atomics.h"
#include "opsrun/gpu_fill.h"
#include "opsrun/gpu_launch.h"
#include "opsrun/gpu_launch_config.h"
#include "opsrun/gpu_ldg.h"
#include "opsrun/gpu_loops.h"
#include "opsrun/gpu_warp.h"
#include "opsrun/internal/gpu_old_names.h"
#include "opsrun/internal/gpu_runtime.h"
#include "opsrun/types.h"

#ifdef OPSRUN_GPU_CODE
#include "opsrun/internal/cuda_note.h"
#endif

// Shared memory whose size is set at launch: GPU_DYNAMIC_SHARED_MEM_DECL(8, float, tile) declares float tile[].
#if defined(OPSRUN_CUDA_EMULATION)
#define GPU_DYNAMIC_SHARED_MEM_DECL(alignment, type, name) \
  type* const name = static_cast<type*>(::opsrun_emulation::SharedMemory())
#elif defined(__CUDACC__)
#define GPU_DYNAMIC_SHARED_MEM_DECL(alignment, type, name) \
  extern __shared__ __align__(alignment)                   \
  type name[]
#endif
