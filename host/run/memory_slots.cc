// host/run/memory_slots.cc: outputs, temporaries, kept tensors and strings.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atomic>

#include "host/plan/create_kernel.h"
#include "host/run/buffer.h"
#include "host/run/device_step.h"
#include "host/run/host_slots.h"
#include "host/run/host_table.h"

namespace opsrun::host::slots {
namespace {

// A temporary allocated during create, which the kernel may keep for its whole life.
int32_t AllocateTempInCreate(opsrun_create* create, DType dtype, int32_t rank, const int64_t* dims, uint32_t flags,
                             const opsrun_tensor** t) {
  size_t bytes = 0;
  if (!BytesOf(dtype, rank, dims, &bytes)) {
    const Status why = WhyNoTensor(dtype, rank, dims);
    return FailAt(create, why.code(), why.message(), "");
  }
  const CreateCall& call = CreateCallOf(create);
  const bool on_host = (flags & OPSRUN_TEMP_ON_HOST) != 0 || HasSlots(dtype) || call.on.device == nullptr;
  Device& memory = on_host ? DeviceOf(create->host) : *call.on.device;
  Buffer* buffer = NewElements(memory, create->stream, dtype, bytes);
  if (buffer == nullptr) {
    return FailAt(create, OPSRUN_RESOURCE_EXHAUSTED, fmt::format("no memory for a temporary of {} bytes", bytes), "");
  }
  *t = NewHandle(buffer, create->host, dtype, rank, dims);
  return OPSRUN_OK;
}

// Null if out of memory. On a device, the copy is enqueued on the stream that uses the memory.
Buffer* CopyOfPlanned(const opsrun_tensor& t) {
  const size_t bytes = ViewBytes(t);
  const auto* planned = (t.flags & kPlannedView) == 0 ? nullptr : static_cast<const PlannedView*>(&t);
  Device& device = planned == nullptr ? DeviceOf(t.host) : *planned->on;
  const Stream stream = planned == nullptr ? kNoStream : planned->stream;
  if (CapturedSteps* const capturing = CapturedSteps::CapturingOn(device)) return capturing->CopyOf(t.data, bytes);
  Buffer* buffer = NewElements(device, stream, DTypeOf(t), bytes);
  if (buffer == nullptr) return nullptr;
  const bool copied =
      planned == nullptr
          ? CopyElements(*buffer, t.data, bytes)
          : bytes == 0 || device.Copy(Device::Direction::kWithin, buffer->data(), t.data, bytes, stream).ok();
  if (copied) return buffer;
  buffer->Release();
  return nullptr;
}

// Planned memory (feeds, attrs) has no buffer and is read-only.
int32_t CheckElement(const char* function, const opsrun_tensor* t, uint64_t i) {
  const Buffer* buffer = BufferOf(t);
  const auto refuse = [&](std::string why) {
    return Refuse(t->host, OPSRUN_INVALID_ARGUMENT, fmt::format("{}: {}", function, why));
  };
  if (buffer == nullptr) return refuse("the tensor is read-only: it is not memory that this plugin allocated");
  if (buffer->slots != DType::kString) return refuse(fmt::format("a tensor of {}", DTypeName(DTypeOf(*t))));
  const uint64_t count = t->rank < 0 ? 0 : ViewBytes(*t) / sizeof(opsrun_str);
  if (i >= count) return refuse(fmt::format("element {} of a tensor with {}", i, count));
  return OPSRUN_OK;
}

}  // namespace

int32_t AllocateOutput(opsrun_call* call, uint32_t i, int32_t rank, const int64_t* dims, opsrun_tensor** view) {
  return SlotsOf(call).AllocateOutput(call, i, rank, dims, view);
}

int32_t SetOutput(opsrun_call* call, uint32_t i, const opsrun_tensor* t) {
  return SlotsOf(call).SetOutput(call, i, t);
}

int32_t ForwardInput(opsrun_call* call, uint32_t in, uint32_t out, int32_t rank, const int64_t* dims,
                     opsrun_tensor** view) {
  return SlotsOf(call).ForwardInput(call, in, out, rank, dims, view);
}

int32_t AllocateTemp(void* where, int32_t dtype, int32_t rank, const int64_t* dims, uint32_t flags,
                     const opsrun_tensor** t) {
  switch (KindOf(where)) {
    case OPSRUN_KIND_CALL: {
      auto* call = static_cast<opsrun_call*>(where);
      return SlotsOf(call).AllocateTemp(call, DTypeFromNumber(dtype), rank, dims, flags, t);
    }
    case OPSRUN_KIND_CREATE:
      return AllocateTempInCreate(static_cast<opsrun_create*>(where), DTypeFromNumber(dtype), rank, dims, flags, t);
    default:
      return FailAt(where, OPSRUN_FAILED_PRECONDITION, "a shape function cannot allocate memory", "");
  }
}

// Copies planned memory; shares a buffer by taking a reference.
int32_t Retain(const opsrun_tensor* t, const opsrun_tensor** kept) {
  if ((t->flags & kHandle) != 0) {
    const_cast<Handle*>(static_cast<const Handle*>(t))->references.fetch_add(1, std::memory_order_relaxed);
    *kept = t;
    return OPSRUN_OK;
  }
  if (t->rank < 0) return OPSRUN_FAILED_PRECONDITION;
  Buffer* buffer = BufferOf(t);
  if (buffer != nullptr) {
    buffer->Retain();
  } else {
    buffer = CopyOfPlanned(*t);
    if (buffer == nullptr) return OPSRUN_RESOURCE_EXHAUSTED;
  }
  *kept = NewHandle(buffer, t->host, DTypeOf(*t), t->rank, t->shape);
  return OPSRUN_OK;
}

void Release(const opsrun_tensor* t) {
  if (t != nullptr && (t->flags & kHandle) != 0) ReleaseHandle(const_cast<Handle*>(static_cast<const Handle*>(t)));
}

int32_t StringAssign(const opsrun_tensor* t, uint64_t i, const char* p, uint64_t n) {
  if (const int32_t code = CheckElement("string_assign", t, i); code != OPSRUN_OK) return code;
  if (p == nullptr && n != 0) {
    return Refuse(t->host, OPSRUN_INVALID_ARGUMENT, fmt::format("string_assign: {} bytes at a null pointer", n));
  }
  const int32_t code = AssignString(*BufferOf(t), i, {p, n});
  return code == OPSRUN_OK ? code : Refuse(t->host, code, fmt::format("string_assign: no memory for {} bytes", n));
}

int32_t StringSwap(const opsrun_tensor* t, uint64_t i, uint64_t j) {
  for (const uint64_t element : {i, j}) {
    if (const int32_t code = CheckElement("string_swap", t, element); code != OPSRUN_OK) return code;
  }
  return SwapStrings(*BufferOf(t), i, j);
}

}  // namespace opsrun::host::slots
