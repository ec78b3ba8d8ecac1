// host/run/host_table.cc: each slot finds the object that "where" is part of, and hands over.
// SPDX-License-Identifier: Apache-2.0
#include "host/run/host_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <utility>

#include "host/base/display_text.h"
#include "host/base/plugin_code.h"
#include "host/plan/call_arrays.h"
#include "host/plugin/load.h"
#include "host/run/call_slots.h"
#include "host/run/device_step.h"
#include "host/threads/thread_pool.h"

namespace opsrun::host {
std::string TextOfPlugin(opsrun_str text) {
  constexpr uint64_t kMost = 64 * 1024, kBelievable = 1024 * 1024;
  std::string copy(std::min(text.size, kMost), '\0');
  if (copy.empty()) return copy;
  if (text.size <= kBelievable && CheckedRead(text.data, copy.size(), copy.data())) return copy;
  return fmt::format("(a text of {} bytes that cannot be read)", text.size);
}

int32_t FailAt(void* where, int32_t code, std::string text, std::string subject) {
  switch (KindOf(where)) {
    case OPSRUN_KIND_CALL: {
      auto* call = static_cast<opsrun_call*>(where);
      return SlotsOf(call).Fail(call, code, std::move(text), std::move(subject));
    }
    case OPSRUN_KIND_CREATE:
      return CreateCallOf(where).Fail(code, std::move(text), std::move(subject));
    default:
      return static_cast<ShapeCall*>(static_cast<opsrun_shape_call*>(where))
          ->Fail(code, std::move(text), std::move(subject));
  }
}

const opsrun_host* HostAt(void* where) {
  if (where == nullptr) return HostOfEntry();
  switch (KindOf(where)) {
    case OPSRUN_KIND_CALL:
      return static_cast<opsrun_call*>(where)->host;
    case OPSRUN_KIND_CREATE:
      return static_cast<opsrun_create*>(where)->host;
    default:
      return static_cast<opsrun_shape_call*>(where)->host;
  }
}

namespace {

// The table that plugins see, and what only the host does.
struct RunHost : std::enable_shared_from_this<RunHost> {
  RunHost(const opsrun_host& slots, std::shared_ptr<Device> its_device, HostOptions options)
      : table(slots, options.level, this),
        device(std::move(its_device)),
        log_sink(std::move(options.log)),
        log_threshold(options.log_threshold) {}

  const GuardedTable table;
  const std::shared_ptr<Device> device;  // whose memory kernels keep
  const LogSink log_sink;
  const int32_t log_threshold;
  mutable std::atomic<uint64_t> runs{0};
  mutable std::mutex refusing;
  mutable Status refusal;  // see TakeRefusal; guarded by refusing
};

const RunHost& Of(const opsrun_host* host) {
  return *static_cast<const RunHost*>(GuardedTable::OwnerOf(host));
}

// A slot that calls a member function of CallSlots.
template <auto kMember>
struct CallSlot;
template <typename... Args, int32_t (CallSlots::*kMember)(opsrun_call*, Args...)>
struct CallSlot<kMember> {
  static int32_t Call(opsrun_call* call, Args... args) { return (SlotsOf(call).*kMember)(call, args...); }
};

int32_t Fail(void* where, int32_t code, opsrun_str text, opsrun_str subject) {
  return where == nullptr ? FailEntry(code, text) : FailAt(where, code, TextOfPlugin(text), TextOfPlugin(subject));
}

void WriteLine(const opsrun_host* host, int32_t severity, const std::string& what, const std::string& path,
               uint32_t line) {
  if (host != nullptr && severity < Of(host).log_threshold) return;
  if (host != nullptr && Of(host).log_sink) return Of(host).log_sink(severity, what, path, line);
  static constexpr const char* kNames[] = {"info", "warning", "error"};
  const char* name = severity >= 0 && severity <= 2 ? kNames[severity] : "info";
  const std::string place = path.empty() ? "" : fmt::format(" ({}:{})", path, line);
  const std::string written = fmt::format("{}: {}{}\n", name, Printable(what), Printable(place));
  std::fwrite(written.data(), 1, written.size(), stderr);
}

// Of what a kernel warns, the user wants to know which node it is about; what it prints otherwise is a result.
std::string Subject(void* where, int32_t severity) {
  if (where == nullptr || severity < OPSRUN_LOG_WARNING || KindOf(where) != OPSRUN_KIND_CALL) return "";
  const auto* call = static_cast<const opsrun_call*>(where);
  return call->lane == nullptr ? "" : SlotsOf(call).NodePlace(call) + ": ";
}

void Log(void* where, int32_t severity, opsrun_str text, opsrun_str file, uint32_t line) {
  WriteLine(HostAt(where), severity, Subject(where, severity) + TextOfPlugin(text), TextOfPlugin(file), line);
}

int32_t LogThreshold(void* where) {
  const opsrun_host* host = HostAt(where);
  return host == nullptr ? OPSRUN_LOG_INFO : Of(host).log_threshold;
}

int64_t TraceNow(opsrun_call* call) {
  return SlotsOf(call).run().TraceNow();
}
void TraceSpan(opsrun_call* call, opsrun_str name, int64_t begin) {
  if (begin > 0) SlotsOf(call).AddPart(call, TextOfPlugin(name), begin);
}

constexpr opsrun_log kLog = {.size = sizeof(opsrun_log), .flags = 0, .threshold = LogThreshold};
constexpr opsrun_trace kTrace = {.size = sizeof(opsrun_trace), .flags = 0, .now = TraceNow, .span = TraceSpan};

const void* Query(void*, opsrun_str id) {
  const std::string name = TextOfPlugin(id);
  if (name == OPSRUN_CUDA_1) return &kCudaInterface;
  if (name == OPSRUN_LOG_1) return &kLog;
  if (name == OPSRUN_TRACE_1) return &kTrace;
  return nullptr;
}

// A block of a loop, which may throw on a thread that is not the kernel's.
struct Block {
  opsrun_call* call;
  opsrun_range_fn fn;
  void* ctx;

  static int32_t Run(void* block, int64_t begin, int64_t end) {
    const Block& it = *static_cast<Block*>(block);
    return CallPlugin(it.call, "a block of its parallel loop", [&] { return it.fn(it.ctx, begin, end); });
  }
};

int32_t ParallelFor(opsrun_call* call, int64_t n, int64_t unit_cost_ns, opsrun_range_fn fn, void* ctx) {
  ThreadPool* pool = SlotsOf(call).pool();
  if (pool == nullptr) return n <= 0 ? OPSRUN_OK : fn(ctx, 0, n);
  Block block{call, fn, ctx};
  return opsrun::host::ParallelFor(*pool, n, unit_cost_ns, Block::Run, &block);
}
int32_t TrySchedule(opsrun_call* call, void (*fn)(void*), void* ctx) {
  ThreadPool* pool = SlotsOf(call).pool();
  return pool != nullptr && pool->TrySchedule(fn, ctx) ? 1 : 0;
}
int32_t NumThreads(opsrun_call* call) {
  const ThreadPool* pool = SlotsOf(call).pool();
  return pool == nullptr ? 1 : pool->threads();
}
int32_t CurrentThread(opsrun_call* call) {
  const ThreadPool* pool = SlotsOf(call).pool();
  return pool == nullptr ? -1 : pool->CurrentThread();
}
int32_t IsCancelled(opsrun_call* call) {
  return SlotsOf(call).run().MustStop() ? 1 : 0;
}

#if OPSRUN_LEVEL >= 2
int32_t OutputIsUsed(opsrun_call* call, uint32_t i) {
  return SlotsOf(call).OutputIsUsed(call, i) ? 1 : 0;
}
#endif

// Objects that kernels share by name.

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

constexpr opsrun_host kSlots = {
    .size = 0,  // of the level
    .level = 0,
    .fail = Fail,
    .log = Log,
    .query = Query,
    .allocate_output = CallSlot<&CallSlots::AllocateOutput>::Call,
    .set_output = CallSlot<&CallSlots::SetOutput>::Call,
    .forward_input = CallSlot<&CallSlots::ForwardInput>::Call,
    .allocate_temp = slots::AllocateTemp,
    .retain = slots::Retain,
    .release = slots::Release,
    .string_assign = slots::StringAssign,
    .parallel_for = ParallelFor,
    .string_swap = slots::StringSwap,
    .try_schedule = TrySchedule,
    .num_threads = NumThreads,
    .current_thread = CurrentThread,
    .cancelled = IsCancelled,
    .resource = Resource,
    .resource_retain = Resources::Retain,
    .resource_release = Resources::Release,
    .resource_delete = ResourceDelete,
#if OPSRUN_LEVEL >= 2
    .output_is_used = OutputIsUsed,
#endif
};

}  // namespace

std::shared_ptr<const opsrun_host> MakeHostTable(std::shared_ptr<Device> device, HostOptions options) {
  opsrun_host slots = kSlots;
  SetShapeSlots(slots);
  if (options.adjust) options.adjust(slots);
  const auto host = std::make_shared<const RunHost>(slots, std::move(device), std::move(options));
  return {host, host->table.get()};
}

std::shared_ptr<const opsrun_host> ShareHost(const opsrun_host* host) {
  return {Of(host).shared_from_this(), host};
}

int32_t Refuse(const opsrun_host* host, int32_t code, std::string text) {
  const std::lock_guard<std::mutex> lock(Of(host).refusing);
  Of(host).refusal = Status(code, std::move(text));
  return code;
}

Device& DeviceOf(const opsrun_host* host) {
  return *Of(host).device;
}

void Warn(const opsrun_host* host, const std::string& text) {
  WriteLine(host, OPSRUN_LOG_WARNING, text, "", 0);
}

Status TakeRefusal(const opsrun_host* host) {
  const std::lock_guard<std::mutex> lock(Of(host).refusing);
  return std::exchange(Of(host).refusal, OkStatus());
}

uint64_t NextRunId(const opsrun_host* host) {
  return Of(host).runs.fetch_add(1, std::memory_order_relaxed) + 1;
}

// The functions for CUDA.

namespace {

// The device and stream of a tensor in device memory; false for other tensors.
bool FindPlace(const opsrun_tensor& t, Device** device, Stream* stream) {
  if ((t.flags & OPSRUN_TENSOR_HOST) != 0) return false;
  if ((t.flags & kPlannedView) != 0) {
    const auto& view = static_cast<const PlannedView&>(t);
    *device = view.on;
    *stream = view.stream;
    return true;
  }
  const Buffer* const buffer = BufferOf(&t);
  if (buffer == nullptr) return false;
  *device = buffer->device;
  *stream = buffer->stream;
  return true;
}

// Makes later work on the memory's own stream, including its release, wait for `stream`.
int32_t RecordUse(const opsrun_tensor* t, void* stream) {
  Device* device = nullptr;
  Stream own = kNoStream;
  if (!FindPlace(*t, &device, &own))
    return Refuse(t->host, OPSRUN_INVALID_ARGUMENT, "record_use: the tensor is not in the memory of a GPU");
  const Status ordered = Order(*device, stream, own);
  return ordered.ok() ? OPSRUN_OK : Refuse(t->host, ordered.code(), ordered.message());
}

int32_t SideStream(opsrun_call* call, uint32_t i, void** stream) {
  CallSlots& slots = SlotsOf(call);
  if (i >= LaneDevice::kSideStreams || call->stream == nullptr) {
    return slots.Fail(call, OPSRUN_OUT_OF_RANGE, fmt::format("there is no side stream {}", i));
  }
  if (CapturedSteps* const steps = slots.CapturedOf(call); steps != nullptr)
    steps->GiveUp(fmt::format("the kernel of '{}' uses other streams", slots.NodeName(call)));
  const Result<Stream> side = slots.DeviceOf(call).SideStream(i);
  if (!side.ok()) return slots.Fail(call, side.status().code(), side.status().message());
  *stream = *side;
  return OPSRUN_OK;
}

}  // namespace

const opsrun_cuda kCudaInterface = {
    .size = sizeof(opsrun_cuda), .flags = 0, .record_use = RecordUse, .side_stream = SideStream};

}  // namespace opsrun::host
