// tests/cuda/double/calls.cc: the calls of the driver, and those that only the tests use.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "host/device/cuda_driver_calls.h"
#include "tests/cuda/double/machine.h"

using namespace cuda_double;
using opsrun::host::CudaAddress;
using opsrun::host::CudaContext;
using opsrun::host::CudaEvent;
using opsrun::host::CudaGraph;
using opsrun::host::CudaGraphExec;
using opsrun::host::CudaPool;
using opsrun::host::CudaPoolProperties;
using opsrun::host::CudaStream;

namespace {

int Copy(Call& call, const char* what, CudaStream stream, Machine::Work work) {
  if (call.error() != 0 || !call.Takes(stream)) return call.error();
  call->Enqueue(stream, what, std::move(work));
  return kSuccess;
}

bool IsDevice(int device) {
  return device >= 0 && device < Machine::Get().settings().devices;
}

}  // namespace

extern "C" {

int cuInit(unsigned flags) {
  const Call call("cuInit", false);
  return call.error() != 0 ? call.error() : flags != 0 ? kInvalidValue : kSuccess;
}
int cuDriverGetVersion(int* version) {
  return *version = 12040, kSuccess;
}
int cuGetErrorName(int error, const char** name) {
  *name = error == kIllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : error == kOutOfMemory  ? "CUDA_ERROR_OUT_OF_MEMORY"
                                   : "CUDA_ERROR";
  return kSuccess;
}
int cuGetErrorString(int error, const char** text) {
  *text = error == kIllegalAddress ? "an illegal memory access was encountered"
          : error == kOutOfMemory  ? "out of memory"
                                   : "an error of the double";
  return kSuccess;
}

int cuDeviceGetCount(int* count) {
  return *count = Machine::Get().settings().devices, kSuccess;
}
int cuDeviceGet(int* device, int ordinal) {
  return *device = ordinal, IsDevice(ordinal) ? kSuccess : kInvalidValue;
}
int cuDeviceGetName(char* name, int size, int device) {
  std::strncpy(name, "test double", static_cast<size_t>(size));
  return IsDevice(device) ? kSuccess : kInvalidValue;
}
// Blocks are multiples of a page, because uses are tracked per page.
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  switch (attribute) {
    case opsrun::host::kCudaTextureAlignment:
      *value = static_cast<int>(kPage);
      break;
    case opsrun::host::kCudaMajor:
      *value = 8;
      break;
    case opsrun::host::kCudaPoolsSupported:
      *value = Machine::Get().settings().pools ? 1 : 0;
      break;
    default:
      *value = 0;
  }
  return IsDevice(device) ? kSuccess : kInvalidValue;
}
int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  return *bytes = Machine::Get().settings().memory, IsDevice(device) ? kSuccess : kInvalidValue;
}

int cuDevicePrimaryCtxRetain(CudaContext* context, int device) {
  Call call("cuDevicePrimaryCtxRetain", false);
  if (call.error() != 0 || !IsDevice(device)) return call.error() != 0 ? call.error() : kInvalidValue;
  return *context = call->RetainContext(device), kSuccess;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  Call call("cuDevicePrimaryCtxRelease", false);
  return call->ReleaseContext(device);
}
int cuCtxPushCurrent_v2(CudaContext context) {
  Call call("cuCtxPushCurrent", false);
  if (call.error() == 0) call->Push(context);
  return call.error();
}
int cuCtxPopCurrent_v2(CudaContext* context) {
  Call call("cuCtxPopCurrent", false);
  *context = call->Pop();
  return *context == nullptr ? kInvalidContext : kSuccess;
}

int cuStreamCreate(CudaStream* stream, unsigned) {
  Call call("cuStreamCreate");
  if (call.error() == 0) *stream = call->NewStream();
  return call.error();
}
int cuStreamDestroy_v2(CudaStream stream) {
  Call call("cuStreamDestroy");
  return call.error() != 0 ? call.error() : call->EndStream(stream);
}
int cuStreamGetCtx(CudaStream stream, CudaContext* context) {
  Call call("cuStreamGetCtx");
  if (call.error() == 0 && call.Takes(stream)) *context = call->ContextOf(stream->device);
  return call.error();
}
int cuPointerGetAttribute(void* value, int attribute, CudaAddress address) {
  Call call("cuPointerGetAttribute");
  if (call.error() != 0) return call.error();
  const int device = call->memory().DeviceOf(address);
  const bool is_pinned = call->memory().IsPinned(reinterpret_cast<const void*>(address));
  if (device < 0 && !is_pinned) return kInvalidValue;
  const bool is_type = attribute == opsrun::host::kCudaMemoryType;
  *static_cast<int*>(value) = is_type ? (is_pinned ? 1 : opsrun::host::kCudaCardMemory) : std::max(device, 0);
  return kSuccess;
}
int cuStreamSynchronize(CudaStream stream) {
  Call call("cuStreamSynchronize");
  if (call.error() != 0 || !call.Takes(stream) || !call.IsOutside(stream)) return call.error();
  call->Drain(stream);
  return call.AfterWait();
}
int cuStreamWaitEvent(CudaStream stream, CudaEvent event, unsigned) {
  Call call("cuStreamWaitEvent");
  if (call.error() != 0 || !call.Takes(stream) || !call.Takes(event)) return call.error();
  return call->Follow(stream, event);
}
int cuStreamWriteValue32_v2(CudaStream stream, CudaAddress address, uint32_t value, unsigned) {
  Call call("cuStreamWriteValue32");
  auto* const word = reinterpret_cast<uint32_t*>(address);
  if (call.error() == 0 && !call->memory().IsPinned(word)) return kInvalidValue;
  return Copy(call, "cuStreamWriteValue32", stream,
              [word, value](const Moment&, const Clock&) { __atomic_store_n(word, value, __ATOMIC_RELAXED); });
}

int cuEventCreate(CudaEvent* event, unsigned) {
  Call call("cuEventCreate");
  if (call.error() == 0) *event = call->NewEvent();
  return call.error();
}
int cuEventDestroy_v2(CudaEvent event) {
  Call call("cuEventDestroy");
  return call.error() != 0 ? call.error() : call->EndEvent(event);
}
int cuEventRecord(CudaEvent event, CudaStream stream) {
  Call call("cuEventRecord");
  if (call.error() != 0 || !call.Takes(stream) || !call.Takes(event)) return call.error();
  call->Record(event, stream);
  return kSuccess;
}
int cuEventQuery(CudaEvent event) {
  Call call("cuEventQuery");
  if (call.error() != 0 || !call.Takes(event) || !call.IsOutside(event)) return call.error();
  if (!call->Query(event)) return kNotReady;
  return call.AfterWait();
}
int cuEventSynchronize(CudaEvent event) {
  Call call("cuEventSynchronize");
  if (call.error() != 0 || !call.Takes(event) || !call.IsOutside(event)) return call.error();
  call->WaitFor(event);
  return call.AfterWait();
}

int cuMemPoolCreate(CudaPool* pool, const CudaPoolProperties* properties) {
  Call call("cuMemPoolCreate");
  if (call.error() != 0) return call.error();
  if (properties->allocation_type != 1 || properties->location_type != 1 || !IsDevice(properties->location_id))
    return kInvalidValue;
  *pool = call->NewPool(properties->location_id);
  return kSuccess;
}
int cuMemPoolDestroy(CudaPool) {
  return Call("cuMemPoolDestroy").error();
}
int cuMemPoolSetAttribute(CudaPool, int, void*) {
  return Call("cuMemPoolSetAttribute").error();
}
int cuMemPoolTrimTo(CudaPool, size_t) {
  return Call("cuMemPoolTrimTo").error();
}
// The address is valid at once; the memory when the stream reaches this point.
int cuMemAllocFromPoolAsync(CudaAddress* address, size_t bytes, CudaPool pool, CudaStream stream) {
  Call call("cuMemAllocFromPoolAsync");
  if (call.error() != 0 || !call.Takes(stream) || !call.IsOutside(stream)) return call.error();
  if (bytes == 0) return kInvalidValue;
  if (call->memory().used(pool->device) + bytes > call->settings().memory) return kOutOfMemory;
  const Moment made = call->Enqueue(stream, "cuMemAllocFromPoolAsync", [](const Moment&, const Clock&) {});
  *address = call->memory().Allocate(bytes, pool->device, made);
  return *address == 0 ? kOutOfMemory : kSuccess;
}
int cuMemFreeAsync(CudaAddress address, CudaStream stream) {
  Call call("cuMemFreeAsync");
  if (call.error() != 0 || !call.Takes(stream) || !call.IsOutside(stream)) return call.error();
  Memory& memory = call->memory();
  return Copy(call, "cuMemFreeAsync", stream,
              [&memory, address](const Moment& moment, const Clock& clock) { memory.Free(address, moment, clock); });
}
int cuMemAlloc_v2(CudaAddress* address, size_t bytes) {
  Call call("cuMemAlloc");
  if (call.error() != 0 || !call.IsOutside()) return call.error();
  const int device = call->current()->device;
  if (bytes == 0) return kInvalidValue;
  if (call->memory().used(device) + bytes > call->settings().memory) return kOutOfMemory;
  *address = call->memory().Allocate(bytes, device, call->OnCpu("cuMemAlloc"));
  return *address == 0 ? kOutOfMemory : kSuccess;
}
// Waits for all work, like the driver; the program must not rely on that.
int cuMemFree_v2(CudaAddress address) {
  Call call("cuMemFree");
  if (call.error() != 0 || !call.IsOutside()) return call.error();
  const Clock known = call->cpu();
  call->DrainAll();
  return call->memory().Free(address, call->OnCpu("cuMemFree"), known) ? call.AfterWait() : kInvalidValue;
}
int cuMemAllocHost_v2(void** memory, size_t bytes) {
  Call call("cuMemAllocHost");
  if (call.error() != 0 || !call.IsOutside()) return call.error();
  *memory = call->memory().AllocatePinned(bytes);
  return *memory == nullptr ? kOutOfMemory : kSuccess;
}
int cuMemFreeHost(void* memory) {
  Call call("cuMemFreeHost");
  if (!call.IsOutside()) return call.error();
  return call->memory().FreePinned(memory) ? kSuccess : kInvalidValue;
}

// Memory that is not page-locked is read before the call returns.
int cuMemcpyHtoDAsync_v2(CudaAddress to, const void* from, size_t bytes, CudaStream stream) {
  Call call("cuMemcpyHtoDAsync");
  Memory& memory = call->memory();
  if (!memory.Has(to)) return kInvalidValue;
  if (!memory.IsPinned(from) && call.error() == 0 && call.Takes(stream) && !call.IsOutside(stream)) return call.error();
  std::string staged;
  if (!memory.IsPinned(from)) staged.assign(static_cast<const char*>(from), bytes);
  return Copy(call, "cuMemcpyHtoDAsync", stream,
              [&memory, to, from, bytes, staged](const Moment& moment, const Clock& clock) {
                memory.Use(to, bytes, true, moment, clock);
                std::memcpy(memory.Private(to), staged.empty() ? from : staged.data(), bytes);
              });
}
// For memory that is not page-locked, the copy is complete when the call returns; otherwise it holds a pattern until
// then.
int cuMemcpyDtoHAsync_v2(void* to, CudaAddress from, size_t bytes, CudaStream stream) {
  Call call("cuMemcpyDtoHAsync");
  Memory& memory = call->memory();
  if (!memory.Has(from)) return kInvalidValue;
  if (!memory.IsPinned(to) && call.error() == 0 && call.Takes(stream) && !call.IsOutside(stream)) return call.error();
  if (call.error() == 0) std::memset(to, 0xDB, bytes);
  const int error =
      Copy(call, "cuMemcpyDtoHAsync", stream, [&memory, to, from, bytes](const Moment& moment, const Clock& clock) {
        memory.Use(from, bytes, false, moment, clock);
        std::memcpy(to, memory.Private(from), bytes);
      });
  if (error != kSuccess || memory.IsPinned(to)) return error;
  call->Drain(stream);
  return call.AfterWait();
}
int cuMemcpyDtoDAsync_v2(CudaAddress to, CudaAddress from, size_t bytes, CudaStream stream) {
  Call call("cuMemcpyDtoDAsync");
  Memory& memory = call->memory();
  if (!memory.Has(to) || !memory.Has(from)) return kInvalidValue;
  return Copy(call, "cuMemcpyDtoDAsync", stream, [&memory, to, from, bytes](const Moment& moment, const Clock& clock) {
    memory.Use(from, bytes, false, moment, clock);
    memory.Use(to, bytes, true, moment, clock);
    std::memmove(memory.Private(to), memory.Private(from), bytes);
  });
}

int cuStreamBeginCapture_v2(CudaStream stream, int mode) {
  Call call("cuStreamBeginCapture");
  if (call.error() != 0 || !call.Takes(stream)) return call.error();
  return mode == opsrun::host::kCudaCaptureThreadLocal ? call->BeginCapture(stream) : kNotSupported;
}
int cuStreamEndCapture(CudaStream stream, CudaGraph* graph) {
  Call call("cuStreamEndCapture");
  const int asked = call.error();
  if (!call.Takes(stream)) return call.error();
  const int error = call->EndCapture(stream, graph);
  if (asked == kSuccess) return error;
  delete *graph;  // the capture ends in any case
  *graph = nullptr;
  return asked;
}
int cuGraphInstantiateWithFlags(CudaGraphExec* exec, CudaGraph graph, unsigned long long) {
  Call call("cuGraphInstantiateWithFlags");
  if (call.error() == 0) *exec = call->Instantiate(*graph);
  return call.error();
}
int cuGraphLaunch(CudaGraphExec exec, CudaStream stream) {
  Call call("cuGraphLaunch");
  if (call.error() != 0 || !call.Takes(stream) || !call.IsOutside(stream)) return call.error();
  if (!call->IsGraph(exec)) return kInvalidHandle;
  return call->LaunchGraph(exec, stream), kSuccess;
}
int cuGraphExecDestroy(CudaGraphExec exec) {
  Call call("cuGraphExecDestroy");
  return call->EndGraph(exec);
}
int cuGraphDestroy(CudaGraph graph) {
  delete graph;
  return kSuccess;
}

// Selects the version of a call's signature, as the driver does.
int cuGetProcAddress_v2(const char* name, void** function, int version, uint64_t, int*) {
#define OPSRUN_DOUBLE_FIND(call, suffix, its_version, parameters) \
  if (std::strcmp(name, #call) == 0 && version == its_version) {  \
    *function = reinterpret_cast<void*>(&call##suffix);           \
    return kSuccess;                                              \
  }
  OPSRUN_CUDA_CALLS(OPSRUN_DOUBLE_FIND)
#undef OPSRUN_DOUBLE_FIND
  return 500;
}

// Called by the CUDA runtime of plugins; opsrun itself never calls it.
int cuCtxSynchronize() {
  Call call("cuCtxSynchronize");
  if (call.error() != 0 || !call.IsOutside()) return call.error();
  call->DrainAll();
  return call.AfterWait();
}

int opsrun_double_launch(void* stream, const char* kernel, KernelFunction run, const void* closure, size_t bytes) {
  Call call("cuLaunchKernel");
  if (call.error() != 0 || !call.Takes(static_cast<CudaStream>(stream))) return call.error();
  return call->Launch(static_cast<CudaStream>(stream), kernel, run, closure, bytes);
}

void opsrun_double_fault(const char* text) {
  KernelProcess::Fault(text);
}
}
