// tests/cuda/emulation/runtime.cc: the CUDA runtime's calls, on the fake driver.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstring>

#include "host/device/cuda_driver_calls.h"
#include "tests/cuda/emulation/threads.h"

namespace opsrun_emulation {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

// A function of the fake driver, by name; NULL if it is missing.
void* Find(const char* name) {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return library == nullptr ? nullptr : dlsym(library, name);
}

template <typename Function, typename... Arguments>
cudaError_t Ask(const char* name, Arguments... arguments) {
  auto* const function = reinterpret_cast<Function*>(Find(name));
  return NoteError(function == nullptr ? cudaErrorInsufficientDriver
                                       : static_cast<cudaError_t>(function(arguments...)));
}

int ValueOf(cudaDeviceAttr attribute) {
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      return 1024;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return 48 * 1024;
    case cudaDevAttrWarpSize:
      return 32;
    case cudaDevAttrMultiProcessorCount:
      return 2;  // few, so that loops over a grid have several iterations
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return 2048;
    case cudaDevAttrComputeCapabilityMajor:
      return 8;
    default:
      return 0;
  }
}

}  // namespace

cudaError_t NoteError(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

cudaError_t LaunchOnDouble(cudaStream_t stream, void (*run)(const void*), const void* closure, size_t bytes) {
  return Ask<int(void*, const char*, void (*)(const void*), const void*, size_t)>(
      "opsrun_double_launch", static_cast<void*>(stream), "kernel", run, closure, bytes);
}

void FaultOfKernel(const char* text) {
  if (auto* const fault = reinterpret_cast<void (*)(const char*)>(Find("opsrun_double_fault"))) fault(text);
}

}  // namespace opsrun_emulation

using opsrun::host::CudaAddress;
using opsrun_emulation::Ask;
using opsrun_emulation::NoteError;

cudaError_t cudaGetLastError() {
  const cudaError_t error = opsrun_emulation::last_error;
  opsrun_emulation::last_error = cudaSuccess;
  return error;
}
cudaError_t cudaPeekAtLastError() {
  return opsrun_emulation::last_error;
}
const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration argument";
    case cudaErrorInsufficientDriver:
      return "there is no driver";
    default:
      return "an error of the test double";
  }
}
const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    default:
      return "cudaError";
  }
}
cudaError_t cudaGetDevice(int* device) {
  return *device = 0, cudaSuccess;
}
cudaError_t cudaSetDevice(int) {
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  return Ask<int(int*)>("cuDeviceGetCount", count);
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  return *value = opsrun_emulation::ValueOf(attribute), cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  std::memset(properties, 0, sizeof(*properties));
  properties->major = 8;
  properties->multiProcessorCount = opsrun_emulation::ValueOf(cudaDevAttrMultiProcessorCount);
  properties->maxThreadsPerBlock = 1024;
  properties->maxThreadsPerMultiProcessor = 2048;
  properties->sharedMemPerBlock = 48 * 1024;
  properties->warpSize = 32;
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** memory, size_t bytes) {
  CudaAddress address = 0;
  const cudaError_t error = Ask<int(CudaAddress*, size_t)>("cuMemAlloc_v2", &address, bytes);
  *memory = reinterpret_cast<void*>(address);
  return error;
}
cudaError_t cudaFree(void* memory) {
  return Ask<int(CudaAddress)>("cuMemFree_v2", reinterpret_cast<uintptr_t>(memory));
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  const CudaAddress there = reinterpret_cast<uintptr_t>(to), here = reinterpret_cast<uintptr_t>(from);
  if (bytes == 0) return cudaSuccess;
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return Ask<int(CudaAddress, const void*, size_t, cudaStream_t)>("cuMemcpyHtoDAsync_v2", there, from, bytes,
                                                                      stream);
    case cudaMemcpyDeviceToHost:
      return Ask<int(void*, CudaAddress, size_t, cudaStream_t)>("cuMemcpyDtoHAsync_v2", to, here, bytes, stream);
    case cudaMemcpyDeviceToDevice:
      return Ask<int(CudaAddress, CudaAddress, size_t, cudaStream_t)>("cuMemcpyDtoDAsync_v2", there, here, bytes,
                                                                      stream);
    default:
      return NoteError(cudaErrorNotSupported);
  }
}
cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t stream) {
  struct Fill {
    void* memory;
    int value;
    size_t bytes;
  } const fill{memory, value, bytes};
  const auto run = [](const void* closure) {
    const auto& it = *static_cast<const Fill*>(closure);
    std::memset(it.memory, it.value, it.bytes);
  };
  return NoteError(opsrun_emulation::LaunchOnDouble(stream, run, &fill, sizeof(fill)));
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}
cudaError_t cudaMemset(void* memory, int value, size_t bytes) {
  return cudaMemsetAsync(memory, value, bytes, nullptr);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return Ask<int(cudaStream_t)>("cuStreamSynchronize", stream);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return cudaStreamSynchronize(stream);
}
cudaError_t cudaDeviceSynchronize() {
  return Ask<int()>("cuCtxSynchronize");
}
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, CUstream_st*) {
  return 0;  // the launch has them already
}
