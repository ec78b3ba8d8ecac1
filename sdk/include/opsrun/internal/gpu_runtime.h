// opsrun/internal/gpu_runtime.h: this plugin's CUDA runtime, under the names that sources for TensorFlow use; warns if
// a kernel waits for the GPU, or uses a default stream, while it computes.
//
// OPSRUN_GPU_CODE is defined in units that may contain kernels: those that nvcc compiles, and those that a C++ compiler
// compiles for a test double of a card (OPSRUN_CUDA_EMULATION). Other units of a plugin with CUDA sources define
// GOOGLE_CUDA: they launch nothing with <<<>>>, but call functions of the runtime.
//
// The linker redirects the plugin's own calls of some CUDA functions to this file (--wrap, in sdk/cmake/flags.txt,
// which lists the same functions), which forwards them to CUDA. Calls from other libraries are not detected, nor are
// those of a plugin that is linked without the flags of `opsrun sdk --cflags --gpu`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__CUDACC__) || defined(OPSRUN_CUDA_EMULATION)
#define OPSRUN_GPU_CODE
#endif

#if defined(OPSRUN_GPU_CODE) || defined(GOOGLE_CUDA)
#define OPSRUN_GPU_RUNTIME

#if !defined(__CUDACC__) && !__has_include(<cuda_runtime.h>)
#error "GOOGLE_CUDA needs the headers of the CUDA toolkit: use the flags of `opsrun sdk --cflags --gpu`"
#endif
#include <cuda_runtime.h>
#include <stdint.h>

#include <string>

#include "opsrun/c_api.h"
#include "opsrun/namespace.h"
#include "opsrun/status.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

typedef cudaStream_t gpuStream_t;
typedef cudaEvent_t gpuEvent_t;
typedef cudaError_t gpuError_t;
constexpr cudaError_t gpuSuccess = cudaSuccess;

// The runtime keeps the last error of each thread until it is read. Every later launch on that thread would report it
// too, so code that reports an error also clears it.
namespace internal {

// OK for cudaSuccess. `what` is the start of the message: "A CUDA kernel cannot be launched".
OPSRUN_COLD inline Status GpuError(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return Status();
  const error::Code code = error == cudaErrorMemoryAllocation ? error::RESOURCE_EXHAUSTED : error::INTERNAL;
  return Error(code, "%s: %s (%s)", what, cudaGetErrorString(error), cudaGetErrorName(error));
}

// Returns and clears the last error of this thread in this plugin's runtime.
inline Status TakeGpuError() {
  const cudaError_t error = cudaGetLastError();
  if (TF_PREDICT_TRUE(error == cudaSuccess)) return Status();
  return GpuError(error, "A launch or another CUDA call of this kernel failed");
}

// Bits: what a kernel does wrong.
enum GpuFault : uint32_t { kGpuWait = 1, kGpuDefaultStream = 2 };

// The Compute of a GPU kernel that runs on this thread. warned: the faults that were reported already; it belongs to
// the kernel object, so that each node is reported once.
struct WatchedCompute {
  opsrun_call* call;
  uint32_t* warned;
};
inline thread_local WatchedCompute watched_compute = {nullptr, nullptr};

// Watches this thread during its lifetime, unless the call is for another device.
class GpuWatch {
 public:
  GpuWatch(opsrun_call* call, uint32_t* warned) {
    if (call->device.type == OPSRUN_DEVICE_CUDA) watched_compute = {call, warned};
  }
  GpuWatch(const GpuWatch&) = delete;
  ~GpuWatch() { watched_compute = {nullptr, nullptr}; }
};

OPSRUN_COLD inline void TellGpuFault(GpuFault fault, const char* function) {
  const WatchedCompute& now = watched_compute;
  if ((__atomic_fetch_or(now.warned, fault, __ATOMIC_RELAXED) & fault) != 0) return;
  const std::string what =
      fault == kGpuWait ? " waits for the GPU in " + std::string(function) +
                              ", and until then the CPU cannot enqueue later nodes; leave the call out, as opsrun "
                              "itself waits where a result is needed, or register the kernel with .Waits()"
                        : " uses the default stream in " + std::string(function) +
                              ", where its work may begin before its inputs are there and end after they are gone; "
                              "pass the stream of the call, context->gpu_stream()";
  const std::string text = "the kernel" + what;
  now.call->host->log(now.call->host, now.call, OPSRUN_LOG_WARNING, {text.data(), text.size()}, {}, 0);
}

inline void NoteGpuWait(const char* function) {
  if (watched_compute.call != nullptr) TellGpuFault(kGpuWait, function);
}

// The driver's numbers for the default streams: 0 and 1 for that of the process, 2 for that of each thread.
inline void NoteGpuStream(const void* stream, const char* function) {
  if (reinterpret_cast<uintptr_t>(stream) <= 2 && watched_compute.call != nullptr)
    TellGpuFault(kGpuDefaultStream, function);
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

// Every unit defines these, and the linker keeps one of each. Without --wrap they are not called, and __real_ is null.
#define OPSRUN_WATCH(name, result, parameters, arguments, note)                        \
  extern "C" {                                                                         \
  __attribute__((weak, visibility("hidden"))) result __real_##name parameters;         \
  __attribute__((used, visibility("hidden"))) inline result __wrap_##name parameters { \
    ::OPSRUN_NAMESPACE::internal::note;                                                \
    return __real_##name arguments;                                                    \
  }                                                                                    \
  }

// The names with _ptsz or _ptds are used in units compiled with --default-stream per-thread.
OPSRUN_WATCH(cudaDeviceSynchronize, cudaError_t, (), (), NoteGpuWait("cudaDeviceSynchronize"))
OPSRUN_WATCH(cudaEventSynchronize, cudaError_t, (cudaEvent_t event), (event), NoteGpuWait("cudaEventSynchronize"))
OPSRUN_WATCH(cudaFree, cudaError_t, (void* memory), (memory), NoteGpuWait("cudaFree"))
#define OPSRUN_WATCH_SYNCHRONIZE(name) \
  OPSRUN_WATCH(name, cudaError_t, (cudaStream_t stream), (stream), NoteGpuWait("cudaStreamSynchronize"))
OPSRUN_WATCH_SYNCHRONIZE(cudaStreamSynchronize)
OPSRUN_WATCH_SYNCHRONIZE(cudaStreamSynchronize_ptsz)

// The first call that kernel<<<...>>> makes.
OPSRUN_WATCH(__cudaPushCallConfiguration, unsigned, (dim3 grid, dim3 block, size_t shared, CUstream_st* stream),
             (grid, block, shared, stream), NoteGpuStream(stream, "kernel<<<...>>>"))
#define OPSRUN_WATCH_LAUNCH(name)                                                                                 \
  OPSRUN_WATCH(name, cudaError_t,                                                                                 \
               (const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream), \
               (kernel, grid, block, arguments, shared, stream), NoteGpuStream(stream, "cudaLaunchKernel"))
OPSRUN_WATCH_LAUNCH(cudaLaunchKernel)
OPSRUN_WATCH_LAUNCH(cudaLaunchKernel_ptsz)

#define OPSRUN_WATCH_MEMCPY(name)                                                                  \
  OPSRUN_WATCH(name, cudaError_t, (void* to, const void* from, size_t bytes, cudaMemcpyKind kind), \
               (to, from, bytes, kind), NoteGpuStream(nullptr, "cudaMemcpy"))
#define OPSRUN_WATCH_MEMCPY_ASYNC(name)                                                              \
  OPSRUN_WATCH(name, cudaError_t,                                                                    \
               (void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream), \
               (to, from, bytes, kind, stream), NoteGpuStream(stream, "cudaMemcpyAsync"))
OPSRUN_WATCH_MEMCPY(cudaMemcpy)
OPSRUN_WATCH_MEMCPY(cudaMemcpy_ptds)
OPSRUN_WATCH_MEMCPY_ASYNC(cudaMemcpyAsync)
OPSRUN_WATCH_MEMCPY_ASYNC(cudaMemcpyAsync_ptsz)

#define OPSRUN_WATCH_MEMSET(name)                                                                  \
  OPSRUN_WATCH(name, cudaError_t, (void* memory, int value, size_t bytes), (memory, value, bytes), \
               NoteGpuStream(nullptr, "cudaMemset"))
#define OPSRUN_WATCH_MEMSET_ASYNC(name)                                                         \
  OPSRUN_WATCH(name, cudaError_t, (void* memory, int value, size_t bytes, cudaStream_t stream), \
               (memory, value, bytes, stream), NoteGpuStream(stream, "cudaMemsetAsync"))
OPSRUN_WATCH_MEMSET(cudaMemset)
OPSRUN_WATCH_MEMSET(cudaMemset_ptds)
OPSRUN_WATCH_MEMSET_ASYNC(cudaMemsetAsync)
OPSRUN_WATCH_MEMSET_ASYNC(cudaMemsetAsync_ptsz)

#endif  // OPSRUN_GPU_CODE || GOOGLE_CUDA
