// host/run/host_slots.cc: outputs, temporaries, kept tensors, strings, and objects that kernels share by name.
// SPDX-License-Identifier: Apache-2.0
#include "host/run/host_slots.h"

#include "host/run/buffer.h"
#include "host/run/device_step.h"
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
    return FailAt(create, OPSRUN_RESOURCE_EXHAUSTED,
                  fmt::format("not enough memory for a temporary of {} bytes", bytes), "");
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
  if (i >= count) return refuse(fmt::format("element {} of a tensor with {} elements", i, count));
  return OPSRUN_OK;
}

}  // namespace

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
  return code == OPSRUN_OK ? code
                           : Refuse(t->host, code, fmt::format("string_assign: not enough memory for {} bytes", n));
}

int32_t StringSwap(const opsrun_tensor* t, uint64_t i, uint64_t j) {
  for (const uint64_t element : {i, j}) {
    if (const int32_t code = CheckElement("string_swap", t, element); code != OPSRUN_OK) return code;
  }
  return SwapStrings(*BufferOf(t), i, j);
}

// Objects that kernels share by name.
namespace {

// Calls act(resources, key) for the resources of a call or a create. Fails if there are none. If `act` fails, the call
// does not: a kernel may go on if a resource is not found.
template <typename Act>
int32_t WithResources(void* where, const char* function, opsrun_str container, opsrun_str name, opsrun_str type,
                      const Act& act) {
  Resources* resources = nullptr;
  const void* plugin = nullptr;
  if (KindOf(where) == OPSRUN_KIND_CALL) {
    const auto* call = static_cast<const opsrun_call*>(where);
    resources = SlotsOf(call).resources();
    plugin = SlotsOf(call).StepOf(call).kernel->plugin;
  } else if (KindOf(where) == OPSRUN_KIND_CREATE) {
    resources = CreateCallOf(where).resources;
    plugin = CreateCallOf(where).plugin;
  }
  const std::string called = TextOfPlugin(name), in = TextOfPlugin(container);
  if (resources == nullptr) {
    return FailAt(where, OPSRUN_UNIMPLEMENTED, fmt::format("resource '{}': there are none here", called), "");
  }
  const int32_t code = act(*resources, ResourceKey{plugin, in, called, TextOfPlugin(type)});
  if (code == OPSRUN_OK) return code;
  const char* why = code == OPSRUN_NOT_FOUND ? "there is no" : "cannot make";
  return Refuse(HostAt(where), code,
                fmt::format("{}: {} object '{}'{}", function, why, called,
                            container.size == 0 ? "" : fmt::format(" in container '{}'", in)));
}

// Creates an object, which may throw.
struct Maker {
  void* where;
  int32_t (*make)(void*, void**);
  void* ctx;

  static int32_t Run(void* maker, void** object) {
    const Maker& it = *static_cast<Maker*>(maker);
    return CallPlugin(it.where, "the maker of a resource", [&] { return it.make(it.ctx, object); });
  }
};

}  // namespace

int32_t Resource(void* where, opsrun_str container, opsrun_str name, opsrun_str type, int32_t (*make)(void*, void**),
                 void* ctx, void (*destroy)(void*), const opsrun_resource** r) {
  Maker maker{where, make, ctx};
  return WithResources(where, "resource", container, name, type, [&](Resources& resources, const ResourceKey& key) {
    return resources.FindOrMake(key, {make == nullptr ? nullptr : Maker::Run, &maker, destroy},
                                ShareHost(HostAt(where)), r);
  });
}

int32_t ResourceDelete(void* where, opsrun_str container, opsrun_str name, opsrun_str type) {
  return WithResources(where, "resource_delete", container, name, type,
                       [](Resources& resources, const ResourceKey& key) { return resources.Delete(key); });
}

}  // namespace opsrun::host::slots
