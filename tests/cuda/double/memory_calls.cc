// tests/cuda/double/memory_calls.cc: the calls of the driver for memory and copies.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "host/device/cuda_driver_calls.h"
#include "tests/cuda/double/machine.h"

using namespace cuda_double;
using opsrun::host::CudaAddress;
using opsrun::host::CudaContext;
using opsrun::host::CudaPool;
using opsrun::host::CudaPoolAccess;
using opsrun::host::CudaPoolProperties;
using opsrun::host::CudaStream;

namespace {

int Copy(Call& call, const char* what, CudaStream stream, Machine::Work work) {
  if (call.error() != 0 || !call.Takes(stream)) return call.error();
  call->Enqueue(stream, what, std::move(work));
  return kSuccess;
}

}  // namespace

extern "C" {

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
int cuStreamWriteValue32_v2(CudaStream stream, CudaAddress address, uint32_t value, unsigned) {
  Call call("cuStreamWriteValue32");
  auto* const word = reinterpret_cast<uint32_t*>(address);
  if (call.error() == 0 && !call->memory().IsPinned(word)) return kInvalidValue;
  return Copy(call, "cuStreamWriteValue32", stream,
              [word, value](const Moment&, const Clock&) { __atomic_store_n(word, value, __ATOMIC_RELAXED); });
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
int cuMemPoolSetAccess(CudaPool pool, const CudaPoolAccess* access, size_t count) {
  Call call("cuMemPoolSetAccess");
  if (call.error() != 0) return call.error();
  if (count != 1 || access->location_type != 1 || access->flags != 3 || !IsDevice(access->location_id))
    return kInvalidValue;
  pool->users.insert(access->location_id);
  return kSuccess;
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

// Between cards that may not use each other's memory, a driver copies through the CPU; here that is an error.
int cuMemcpyPeerAsync(CudaAddress to, CudaContext to_context, CudaAddress from, CudaContext from_context, size_t bytes,
                      CudaStream stream) {
  Call call("cuMemcpyPeerAsync");
  Memory& memory = call->memory();
  if (call.error() != 0) return call.error();
  if (memory.DeviceOf(to) != to_context->device || memory.DeviceOf(from) != from_context->device ||
      !call->MayUse(to_context, from_context))
    return kInvalidValue;
  return Copy(call, "cuMemcpyPeerAsync", stream, [&memory, to, from, bytes](const Moment& moment, const Clock& clock) {
    memory.Use(from, bytes, false, moment, clock);
    memory.Use(to, bytes, true, moment, clock);
    std::memmove(memory.Private(to), memory.Private(from), bytes);
  });
}

}  // extern "C"
