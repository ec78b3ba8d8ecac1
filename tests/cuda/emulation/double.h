// tests/cuda/emulation/double.h: what the emulation asks of the test double. Private to this folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

namespace opsrun_emulation {

// INSUFFICIENT_DRIVER if the process has loaded no libcuda.so.1, or one that is not the double.
cudaError_t LaunchOnDouble(cudaStream_t stream, void (*run)(const void* closure), const void* closure, size_t bytes);
// Something is wrong with the kernel that runs now.
void FaultOfKernel(const char* text);
// Remembers an error for cudaGetLastError; answers it.
cudaError_t NoteError(cudaError_t error);

}  // namespace opsrun_emulation
