// host/run/host_table.cc: each slot finds the object that "where" is part of, and hands over.
// SPDX-License-Identifier: Apache-2.0
#include "host/run/host_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <utility>

#include "host/base/display_text.h"
#include "host/base/guarded_table.h"
#include "host/base/plugin_code.h"
#include "host/plan/create_kernel.h"
#include "host/plan/infer_shapes.h"
#include "host/plugin/checked_read.h"
#include "host/plugin/load.h"
#include "host/run/buffer.h"
#include "host/run/cuda_interface.h"
#include "host/run/device_step.h"
#include "host/run/lane_impl.h"
#include "host/threads/parallel_for.h"

namespace opsrun::host {
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

// A text of a plugin, which may claim any size. What cannot be read is said to be so.
std::string Text(opsrun_str text) {
  constexpr uint64_t kMost = 64 * 1024, kBelievable = 1024 * 1024;
  std::string copy(std::min(text.size, kMost), '\0');
  if (copy.empty()) return copy;
  if (text.size <= kBelievable && CheckedRead(text.data, copy.size(), copy.data())) return copy;
  return fmt::format("(a text of {} bytes that cannot be read)", text.size);
}

uint16_t KindOf(const void* where) {
  return static_cast<const opsrun_call*>(where)->kind;
}
Lane::Impl& LaneOf(const opsrun_call* call) {
  return *static_cast<Lane::Impl*>(call->lane);
}
CreateCall& CreateCallOf(void* where) {
  return *static_cast<CreateCall*>(static_cast<opsrun_create*>(where));
}
ShapeCall& ShapeCallOf(opsrun_shape_call* call) {
  return *static_cast<ShapeCall*>(call);
}

int32_t FailAt(void* where, int32_t code, std::string text, std::string subject) {
  switch (KindOf(where)) {
    case OPSRUN_KIND_CALL: {
      auto* call = static_cast<opsrun_call*>(where);
      return LaneOf(call).Fail(call, code, std::move(text), std::move(subject));
    }
    case OPSRUN_KIND_CREATE:
      return CreateCallOf(where).Fail(code, std::move(text), std::move(subject));
    default:
      return ShapeCallOf(static_cast<opsrun_shape_call*>(where)).Fail(code, std::move(text), std::move(subject));
  }
}

int32_t Fail(void* where, int32_t code, opsrun_str text, opsrun_str subject) {
  return where == nullptr ? FailEntry(code, text) : FailAt(where, code, Text(text), Text(subject));
}

// The host of a call, a create or a shape call; without one, that of the entry that runs on this thread, or null.
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
  return call->lane == nullptr ? "" : LaneOf(call).NodePlace(call) + ": ";
}

void Log(void* where, int32_t severity, opsrun_str text, opsrun_str file, uint32_t line) {
  WriteLine(HostAt(where), severity, Subject(where, severity) + Text(text), Text(file), line);
}

int32_t LogThreshold(void* where) {
  const opsrun_host* host = HostAt(where);
  return host == nullptr ? OPSRUN_LOG_INFO : Of(host).log_threshold;
}

int64_t TraceNow(opsrun_call* call) {
  return LaneOf(call).TraceNow();
}
void TraceSpan(opsrun_call* call, opsrun_str name, int64_t begin) {
  if (begin > 0) LaneOf(call).AddPart(call, Text(name), begin);
}

constexpr opsrun_log kLog = {.size = sizeof(opsrun_log), .flags = 0, .threshold = LogThreshold};
constexpr opsrun_trace kTrace = {.size = sizeof(opsrun_trace), .flags = 0, .now = TraceNow, .span = TraceSpan};

const void* Query(void*, opsrun_str id) {
  const std::string name = Text(id);
  if (name == OPSRUN_CUDA_1) return &kCudaInterface;
  if (name == OPSRUN_LOG_1) return &kLog;
  if (name == OPSRUN_TRACE_1) return &kTrace;
  return nullptr;
}

int32_t AllocateOutput(opsrun_call* call, uint32_t i, int32_t rank, const int64_t* dims, opsrun_tensor** view) {
  return LaneOf(call).AllocateOutput(call, i, rank, dims, view);
}

int32_t SetOutput(opsrun_call* call, uint32_t i, const opsrun_tensor* t) {
  return LaneOf(call).SetOutput(call, i, t);
}

int32_t ForwardInput(opsrun_call* call, uint32_t in, uint32_t out, int32_t rank, const int64_t* dims,
                     opsrun_tensor** view) {
  return LaneOf(call).ForwardInput(call, in, out, rank, dims, view);
}

// A temporary of a kernel that is being made: it may keep it as long as it lives.
int32_t AllocateTempInCreate(opsrun_create* create, DType dtype, int32_t rank, const int64_t* dims, uint32_t flags,
                             const opsrun_tensor** t) {
  size_t bytes = 0;
  if (!BytesOf(dtype, rank, dims, &bytes)) {
    const Status why = WhyNoTensor(dtype, rank, dims);
    return FailAt(create, why.code(), why.message(), "");
  }
  const CreateCall& call = CreateCallOf(create);
  const bool on_host = (flags & OPSRUN_TEMP_ON_HOST) != 0 || HasSlots(dtype) || call.on.device == nullptr;
  Device& memory = on_host ? *Of(create->host).device : *call.on.device;
  Buffer* buffer = NewElements(memory, create->stream, dtype, bytes);
  if (buffer == nullptr) {
    return FailAt(create, OPSRUN_RESOURCE_EXHAUSTED, fmt::format("no memory for a temporary of {} bytes", bytes), "");
  }
  *t = NewHandle(buffer, create->host, dtype, rank, dims);
  return OPSRUN_OK;
}

int32_t AllocateTemp(void* where, int32_t dtype, int32_t rank, const int64_t* dims, uint32_t flags,
                     const opsrun_tensor** t) {
  switch (KindOf(where)) {
    case OPSRUN_KIND_CALL: {
      auto* call = static_cast<opsrun_call*>(where);
      return LaneOf(call).AllocateTemp(call, DTypeFromNumber(dtype), rank, dims, flags, t);
    }
    case OPSRUN_KIND_CREATE:
      return AllocateTempInCreate(static_cast<opsrun_create*>(where), DTypeFromNumber(dtype), rank, dims, flags, t);
    default:
      return FailAt(where, OPSRUN_FAILED_PRECONDITION, "a shape function cannot allocate memory", "");
  }
}

// Null if there is no memory. On a device the copy is enqueued on the stream of what uses the memory.
Buffer* CopyOfPlanned(const opsrun_tensor& t) {
  const size_t bytes = ViewBytes(t);
  const auto* planned = (t.flags & kPlannedView) == 0 ? nullptr : static_cast<const PlannedView*>(&t);
  Device& device = planned == nullptr ? *Of(t.host).device : *planned->on;
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

// Copies planned memory; a share of a buffer is counted.
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

// Planned memory (feeds, attrs) has no buffer: nobody writes to it.
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

// Calls back into the plugin; an exception becomes the failure of `where`. what: threw it.
template <typename Fn>
int32_t Guarded(void* where, const char* what, Fn fn) {
  int32_t code = OPSRUN_OK;
  const std::optional<Thrown> thrown = CatchThrown([&] { code = fn(); });
  if (!thrown) return code;
  code = thrown->out_of_memory ? OPSRUN_RESOURCE_EXHAUSTED : OPSRUN_INTERNAL;
  return FailAt(where, code, fmt::format("{} {}", what, thrown->Sentence()), "");
}

// A block of a loop, which may throw on a thread that is not the kernel's.
struct Block {
  opsrun_call* call;
  opsrun_range_fn fn;
  void* ctx;

  static int32_t Run(void* block, int64_t begin, int64_t end) {
    const Block& it = *static_cast<Block*>(block);
    return Guarded(it.call, "a block of its parallel loop", [&] { return it.fn(it.ctx, begin, end); });
  }
};

int32_t ParallelFor(opsrun_call* call, int64_t n, int64_t unit_cost_ns, opsrun_range_fn fn, void* ctx) {
  ThreadPool* pool = LaneOf(call).pool;
  if (pool == nullptr) return n <= 0 ? OPSRUN_OK : fn(ctx, 0, n);
  Block block{call, fn, ctx};
  return opsrun::host::ParallelFor(*pool, n, unit_cost_ns, Block::Run, &block);
}
int32_t TrySchedule(opsrun_call* call, void (*fn)(void*), void* ctx) {
  ThreadPool* pool = LaneOf(call).pool;
  return pool != nullptr && pool->TrySchedule(fn, ctx) ? 1 : 0;
}
int32_t NumThreads(opsrun_call* call) {
  const ThreadPool* pool = LaneOf(call).pool;
  return pool == nullptr ? 1 : pool->threads();
}
int32_t CurrentThread(opsrun_call* call) {
  const ThreadPool* pool = LaneOf(call).pool;
  return pool == nullptr ? -1 : pool->CurrentThread();
}
int32_t IsCancelled(opsrun_call* call) {
  return LaneOf(call).MustStop() ? 1 : 0;
}

// Where a call or a create finds what kernels share, and whose kernel it is; false elsewhere.
bool FindResources(void* where, Resources** resources, const void** plugin) {
  switch (KindOf(where)) {
    case OPSRUN_KIND_CALL: {
      const auto* call = static_cast<const opsrun_call*>(where);
      *resources = LaneOf(call).resources;
      *plugin = LaneOf(call).PluginOf(call);
      return *resources != nullptr;
    }
    case OPSRUN_KIND_CREATE:
      *resources = CreateCallOf(where).resources;
      *plugin = CreateCallOf(where).plugin;
      return *resources != nullptr;
    default:
      return false;
  }
}

// The making of an object, which may throw.
struct Maker {
  void* where;
  int32_t (*make)(void*, void**);
  void* ctx;

  static int32_t Run(void* maker, void** object) {
    const Maker& it = *static_cast<Maker*>(maker);
    return Guarded(it.where, "the maker of a resource", [&] { return it.make(it.ctx, object); });
  }
};

// A kernel may go on without a resource that is not found, so the failure is not recorded as that of the call.
int32_t RefuseResource(void* where, int32_t code, const char* function, opsrun_str name, opsrun_str container) {
  const char* why = code == OPSRUN_NOT_FOUND ? "there is no" : "cannot make";
  const std::string in = container.size == 0 ? "" : fmt::format(" in container '{}'", Text(container));
  return Refuse(HostAt(where), code, fmt::format("{}: {} object '{}'{}", function, why, Text(name), in));
}
int32_t Resource(void* where, opsrun_str container, opsrun_str name, opsrun_str type, int32_t (*make)(void*, void**),
                 void* ctx, void (*destroy)(void*), const opsrun_resource** r) {
  Resources* resources = nullptr;
  const void* plugin = nullptr;
  if (!FindResources(where, &resources, &plugin)) {
    return FailAt(where, OPSRUN_UNIMPLEMENTED, fmt::format("resource '{}': there are none here", Text(name)), "");
  }
  Maker maker{where, make, ctx};
  const int32_t code =
      resources->FindOrMake({plugin, Text(container), Text(name), Text(type)},
                            {make == nullptr ? nullptr : Maker::Run, &maker, destroy}, ShareHost(HostAt(where)), r);
  return code == OPSRUN_OK ? code : RefuseResource(where, code, "resource", name, container);
}
int32_t ResourceDelete(void* where, opsrun_str container, opsrun_str name, opsrun_str type) {
  Resources* resources = nullptr;
  const void* plugin = nullptr;
  if (!FindResources(where, &resources, &plugin)) {
    return FailAt(where, OPSRUN_UNIMPLEMENTED, fmt::format("resource '{}': there are none here", Text(name)), "");
  }
  const int32_t code = resources->Delete({plugin, Text(container), Text(name), Text(type)});
  return code == OPSRUN_OK ? code : RefuseResource(where, code, "resource_delete", name, container);
}

int32_t MakeDim(opsrun_shape_call* call, int64_t value, const opsrun_dim** dim) {
  return ShapeCallOf(call).MakeDim(value, dim);
}
int32_t MakeShape(opsrun_shape_call* call, int32_t rank, const opsrun_dim* const* dims, const opsrun_shape** shape) {
  return ShapeCallOf(call).MakeShape(rank, dims, shape);
}
int32_t SetOutputShape(opsrun_shape_call* call, uint32_t i, const opsrun_shape* shape) {
  return ShapeCallOf(call).SetOutput(i, shape);
}
int32_t Equate(opsrun_shape_call* call, const opsrun_dim* a, const opsrun_dim* b) {
  return ShapeCallOf(call).Equate(a, b);
}
int32_t DimOp(opsrun_shape_call* call, uint32_t op, const opsrun_dim* a, const opsrun_dim* b, const opsrun_dim** out) {
  return ShapeCallOf(call).DimOp(op, a, b, out);
}
int32_t WantValue(opsrun_shape_call* call, uint32_t i, const opsrun_tensor** value, const opsrun_shape** as_shape) {
  return ShapeCallOf(call).WantValue(i, value, as_shape);
}

int32_t SetOutputValue(opsrun_shape_call* call, uint32_t i, const opsrun_shape* shape) {
  return ShapeCallOf(call).SetOutputValue(i, shape);
}

#if OPSRUN_LEVEL >= 2
int32_t OutputIsUsed(opsrun_call* call, uint32_t i) {
  return LaneOf(call).OutputIsUsed(call, i) ? 1 : 0;
}
#endif

constexpr opsrun_host kSlots = {
    .size = 0,  // of the level
    .level = 0,
    .fail = Fail,
    .log = Log,
    .query = Query,
    .allocate_output = AllocateOutput,
    .set_output = SetOutput,
    .forward_input = ForwardInput,
    .allocate_temp = AllocateTemp,
    .retain = Retain,
    .release = Release,
    .string_assign = StringAssign,
    .parallel_for = ParallelFor,
    .string_swap = StringSwap,
    .try_schedule = TrySchedule,
    .num_threads = NumThreads,
    .current_thread = CurrentThread,
    .cancelled = IsCancelled,
    .resource = Resource,
    .resource_retain = Resources::Retain,
    .resource_release = Resources::Release,
    .resource_delete = ResourceDelete,
    .make_dim = MakeDim,
    .make_shape = MakeShape,
    .set_output_shape = SetOutputShape,
    .equate = Equate,
    .dim_op = DimOp,
    .want_value = WantValue,
    .set_output_value = SetOutputValue,
#if OPSRUN_LEVEL >= 2
    .output_is_used = OutputIsUsed,
#endif
};

}  // namespace

std::shared_ptr<const opsrun_host> MakeHostTable(std::shared_ptr<Device> device, HostOptions options) {
  opsrun_host slots = kSlots;
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

}  // namespace opsrun::host
