// SPDX-License-Identifier: Apache-2.0
#include "host/run/call_slots.h"

#include <cstring>

#include "host/base/display_text.h"
#include "host/run/buffer.h"
#include "host/run/device_step.h"
#include "host/run/host_table.h"

namespace opsrun::host {
namespace {

bool SameShape(const opsrun_tensor& view, int32_t rank, const int64_t* dims) {
  if (view.rank != rank) return false;
  return rank == 0 || (dims != nullptr && std::memcmp(view.shape, dims, rank * sizeof(int64_t)) == 0);
}

// The number of the device, or -1 for CPU memory of any kind.
int32_t MemoryOf(const opsrun_tensor& view) {
  return view.device.type == OPSRUN_DEVICE_CUDA ? view.device.id : -1;
}

bool SameMemory(const opsrun_tensor& a, const opsrun_tensor& b) {
  return MemoryOf(a) == MemoryOf(b);
}

std::string MemoryText(const opsrun_tensor& view) {
  if ((view.flags & OPSRUN_TENSOR_HOST) != 0) return "CPU memory";
  return fmt::format("the memory of device {}", view.device.id);
}

}  // namespace

LaneDevice& CallSlots::DeviceOf(const opsrun_call* call) const {
  return call->device.type == OPSRUN_DEVICE_CPU ? *memory_.devices()[0] : memory_.device_of(StepOf(call));
}

CapturedSteps* CallSlots::CapturedOf(const opsrun_call* call) const {
  return device_steps_.has_captures() ? device_steps_.at(memory_.StepOf(call)).captured() : nullptr;
}

int32_t CallSlots::Fail(const opsrun_call* call, int32_t code, std::string text, std::string subject) {
  return run_.NoteReason(memory_.StepOf(call), code, std::move(text), std::move(subject));
}

void CallSlots::AddPart(const opsrun_call* call, std::string name, int64_t begin) {
  run_.AddPart(memory_.StepOf(call), pool_ == nullptr ? 0 : pool_->CurrentThread() + 1, std::move(name), begin);
}

std::string CallSlots::OutputName(const opsrun_call* call, uint32_t i) const {
  for (const spec::ArgRange& range : StepOf(call).signature().out_args) {
    if (i >= range.first && i < range.first + range.count) return range.NameOf(i - range.first);
  }
  return std::to_string(i);  // the plan does not name it
}

bool CallSlots::IsRead(const opsrun_call* call, uint32_t i) const {
  const Step& step = StepOf(call);
  if (i >= step.outputs.size()) return false;
  const PlanValue& value = plan().values[step.outputs[i]];
  return value.readers > 0 || value.kept;
}

bool CallSlots::OutputIsUsed(const opsrun_call* call, uint32_t i) const {
  if (IsRead(call, i)) return true;
  if (i < call->n_out && (call->out[i]->flags & kDynamicView) != 0)
    static_cast<DynamicView*>(call->out[i])->excused.store(true, std::memory_order_relaxed);
  return false;
}

int32_t CallSlots::OutputError(const opsrun_call* call, uint32_t i, const Status& status) {
  return Fail(call, status.code(), status.message(), "output:" + OutputName(call, i));
}

int32_t CallSlots::ShapeError(const opsrun_call* call, uint32_t i, int32_t rank, const int64_t* dims) {
  return OutputError(
      call, i,
      InvalidArgument(fmt::format("the kernel allocates output '{}' with shape {}, but its shape function says {}",
                                  OutputName(call, i), ViewShapeText(rank, dims),
                                  ShapeText(plan().values[StepOf(call).outputs[i]].shape()))));
}

// Kernels without a shape function call this for every output.
int32_t CallSlots::AllocateOutput(opsrun_call* call, uint32_t i, int32_t rank, const int64_t* dims,
                                  opsrun_tensor** view) {
  if (i < call->n_out && (call->out[i]->flags & kAnyShape) != 0) {
    auto* out = static_cast<DynamicView*>(call->out[i]);
    size_t bytes = out->element_bytes;
    if (!out->allocated() && out->sizes.SetQuickly(*out, rank, dims, &bytes)) [[likely]] {
      if (Buffer* buffer = out->pool->TakeQuickly(bytes)) [[likely]] {
        out->Hold(buffer);
        *view = out;
        return OPSRUN_OK;
      }
      out->rank = -1;
    }
  }
  return AllocateSlowly(call, i, rank, dims, view);
}

int32_t CallSlots::AllocateSlowly(opsrun_call* call, uint32_t i, int32_t rank, const int64_t* dims,
                                  opsrun_tensor** view) {
  if (i >= call->n_out)
    return Fail(call, OPSRUN_INVALID_ARGUMENT,
                fmt::format("output {} is out of range: the node has {}", i, Several(call->n_out, "output")));
  opsrun_tensor* out = call->out[i];
  *view = out;
  if ((out->flags & OPSRUN_TENSOR_PLANNED) != 0) {
    if (SameShape(*out, rank, dims)) return OPSRUN_OK;
    return ShapeError(call, i, rank, dims);
  }
  auto* dynamic = static_cast<DynamicView*>(out);
  if (dynamic->allocated()) {
    return OutputError(call, i, Internal(fmt::format("the kernel allocates output '{}' twice", OutputName(call, i))));
  }
  size_t bytes = 0;
  const DType dtype = DTypeOf(*out);
  if (!BytesOf(dtype, rank, dims, &bytes)) return OutputError(call, i, WhyNoTensor(dtype, rank, dims));
  if (!Fits(plan().values[dynamic->value], rank, dims)) return ShapeError(call, i, rank, dims);
  Buffer* buffer = HasSlots(dtype) ? NewElements(memory_.cpu(), kNoStream, dtype, bytes) : dynamic->pool->Take(bytes);
  if (buffer == nullptr) {
    return OutputError(
        call, i,
        ResourceExhausted(fmt::format("not enough memory for output '{}': {} {} is {} bytes", OutputName(call, i),
                                      DTypeName(dtype), ViewShapeText(rank, dims), bytes)));
  }
  dynamic->Allocate(buffer, rank, dims);
  return OPSRUN_OK;
}

int32_t CallSlots::SetOutput(opsrun_call* call, uint32_t i, const opsrun_tensor* t) {
  if (i >= call->n_out)
    return Fail(call, OPSRUN_INVALID_ARGUMENT,
                fmt::format("output {} is out of range: the node has {}", i, Several(call->n_out, "output")));
  opsrun_tensor* out = call->out[i];
  if (t == nullptr || t->rank < 0)
    return OutputError(call, i,
                       InvalidArgument(fmt::format("output '{}' is set to a null tensor", OutputName(call, i))));
  if (t->dtype != out->dtype) {
    return OutputError(
        call, i,
        InvalidArgument(fmt::format("output '{}' is {}, but the tensor assigned to it is {}", OutputName(call, i),
                                    DTypeName(DTypeOf(*out)), DTypeName(DTypeOf(*t)))));
  }
  if (t == out) return OPSRUN_OK;
  if (!SameMemory(*t, *out)) {
    return OutputError(call, i,
                       InvalidArgument(fmt::format("output '{}' is in {}, but the tensor assigned to it is in {}",
                                                   OutputName(call, i), MemoryText(*out), MemoryText(*t))));
  }
  const bool planned = (out->flags & OPSRUN_TENSOR_PLANNED) != 0;
  Buffer* shared = planned || t->host != memory_.host() ? nullptr : BufferOf(t);
  if (shared != nullptr) {
    if (!Fits(plan().values[static_cast<DynamicView*>(out)->value], t->rank, t->shape)) {
      return ShapeError(call, i, t->rank, t->shape);
    }
    if (const Status status = Order(*shared->device, shared->stream, call->stream); !status.ok())
      return OutputError(call, i, status);
    shared->Retain();
  }
  if (!planned) Unallocate(static_cast<DynamicView*>(out));
  if (shared != nullptr) {
    static_cast<DynamicView*>(out)->Allocate(shared, t->rank, t->shape);
    return OPSRUN_OK;
  }
  opsrun_tensor* view = nullptr;
  const int32_t code = AllocateOutput(call, i, t->rank, t->shape, &view);
  if (code != OPSRUN_OK) return code;
  return CopyInto(call, i, *t);
}

int32_t CallSlots::CopyInto(const opsrun_call* call, uint32_t i, const opsrun_tensor& t) {
  opsrun_tensor* out = call->out[i];
  const size_t bytes = ViewBytes(t);
  Buffer* buffer = BufferOf(out);
  if ((out->flags & OPSRUN_TENSOR_HOST) == 0) {
    if (bytes == 0) return OPSRUN_OK;
    const Status status =
        DeviceOf(call).device().Copy(Device::Direction::kWithin, out->data, t.data, bytes, call->stream);
    return status.ok() ? OPSRUN_OK : OutputError(call, i, status);
  }
  if (buffer == nullptr) {
    if (bytes != 0) std::memmove(out->data, t.data, bytes);
  } else if (!CopyElements(*buffer, t.data, bytes)) {
    return OutputError(call, i,
                       ResourceExhausted(fmt::format("not enough memory for output '{}'", OutputName(call, i))));
  }
  return OPSRUN_OK;
}

int32_t CallSlots::ForwardInput(opsrun_call* call, uint32_t in, uint32_t out, int32_t rank, const int64_t* dims,
                                opsrun_tensor** view) {
  *view = nullptr;
  if (in >= call->n_in || out >= call->n_out) {
    return Fail(call, OPSRUN_INVALID_ARGUMENT, fmt::format("there is no input {} or no output {}", in, out));
  }
  if (in >= 64 || (call->forwardable >> in & 1) == 0) return OPSRUN_OK;
  const opsrun_tensor* from = call->in[in];
  opsrun_tensor* to = call->out[out];
  Buffer* buffer = BufferOf(from);
  if (buffer == nullptr || !buffer->sole() || (to->flags & kDynamicView) == 0 || from->dtype != to->dtype ||
      !SameMemory(*from, *to))
    return OPSRUN_OK;
  auto* dynamic = static_cast<DynamicView*>(to);
  size_t bytes = 0;
  if (dynamic->allocated() || !BytesOf(DTypeOf(*to), rank, dims, &bytes) || bytes != ViewBytes(*from)) return OPSRUN_OK;
  if (!Fits(plan().values[dynamic->value], rank, dims)) return ShapeError(call, out, rank, dims);
  buffer->Retain();
  dynamic->Allocate(buffer, rank, dims);
  *view = to;
  return OPSRUN_OK;
}

// A temporary in CPU memory of a call on a device is also freed only after the work on the call's stream.
int32_t CallSlots::AllocateTemp(opsrun_call* call, DType dtype, int32_t rank, const int64_t* dims, uint32_t flags,
                                const opsrun_tensor** t) {
  size_t bytes = 0;
  if (!BytesOf(dtype, rank, dims, &bytes)) {
    const Status why = WhyNoTensor(dtype, rank, dims);
    return Fail(call, why.code(), why.message());
  }
  const bool on_host = (flags & OPSRUN_TEMP_ON_HOST) != 0 || HasSlots(dtype);
  CapturedSteps* const as_a_whole = CapturedOf(call);
  if (as_a_whole != nullptr && on_host)
    as_a_whole->GiveUp(fmt::format("the kernel of '{}' takes temporaries in CPU memory", NodeName(call)));
  Device& memory = on_host ? memory_.devices()[0]->device() : DeviceOf(call).device();
  Buffer* buffer = as_a_whole != nullptr && !on_host ? as_a_whole->TakeTemporary(bytes)
                                                     : NewElements(memory, call->stream, dtype, bytes);
  if (buffer == nullptr) {
    return Fail(call, OPSRUN_RESOURCE_EXHAUSTED,
                fmt::format("not enough memory for a temporary: {} {} is {} bytes", DTypeName(dtype),
                            ViewShapeText(rank, dims), bytes));
  }
  run_.CountTemporary(bytes);
  *t = NewHandle(buffer, memory_.host(), dtype, rank, dims);
  return OPSRUN_OK;
}

namespace slots {
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
  if (!copied) buffer->Release();
  return copied ? buffer : nullptr;
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

}  // namespace slots
}  // namespace opsrun::host
