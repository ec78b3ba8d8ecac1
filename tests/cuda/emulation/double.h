// tests/cuda/emulation/double.h: calls of the emulation to the fake driver. Private to this folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

namespace opsrun_emulation {

// INSUFFICIENT_DRIVER: the process has not loaded libcuda.so.1, or it is not the fake driver.
cudaError_t LaunchOnDouble(cudaStream_t stream, void (*run)(const void* closure), const void* closure, size_t bytes);
// Reports an error of the running kernel.
void FaultOfKernel(const char* text);
// Stores an error for cudaGetLastError; returns it.
cudaError_t NoteError(cudaError_t error);

}  // namespace opsrun_emulation
