// opsrun/gpu_kernel_helper.h: everything that the CUDA sources of a plugin need, under TensorFlow's names.
//
// Include it in .cu.cc files, behind the header of the op. It also writes the CUDA note of the unit, from which the
// host knows for which cards there is code. In a .cc file of a plugin with CUDA sources (GOOGLE_CUDA) it offers
// launches and launch configurations only; anywhere else it is empty.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/gpu_device_functions.h"
#include "opsrun/gpu_launch.h"
#include "opsrun/internal/gpu_runtime.h"
#include "opsrun/types.h"

#ifdef OPSRUN_GPU_RUNTIME
#include <utility>

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// Launches and their configurations under the names of TensorFlow before 2.0.

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
#endif

#ifdef OPSRUN_GPU_CODE
#include "opsrun/internal/registration.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// "rt=13000;arch=800,900"; "rt=0;arch=emul" if a C++ compiler compiles kernels for a fake CUDA driver.
struct CudaBuild {
  constexpr void WriteNote(NoteWriter* note) const {
#ifdef OPSRUN_CUDA_EMULATION
    note->Put("rt=0;arch=emul");
#else
    constexpr int kArchitectures[] = {__CUDA_ARCH_LIST__};
    note->Put("rt=");
    note->PutNumber(CUDART_VERSION);
    note->Put(";arch");
    char separator = '=';
    for (const int architecture : kArchitectures) {
      note->Put(separator);
      note->PutNumber(architecture);
      separator = ',';
    }
#endif
  }
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

OPSRUN_TEXT_NOTE(opsrun_sdk_cuda_note, OPSRUN_NOTE_CUDA, ::OPSRUN_NAMESPACE::internal::CudaBuild{},
                 ::OPSRUN_NAMESPACE::internal::CudaBuild{})
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
