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
#include "host/run/held_tensors.h"
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
        held(options.lists_held ? std::make_unique<HeldTensors>() : nullptr),
        log_sink(std::move(options.log)),
        log_threshold(options.log_threshold) {}

  const GuardedTable table;
  const std::shared_ptr<Device> device;     // whose memory kernels keep
  const std::unique_ptr<HeldTensors> held;  // null: they are not listed
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

int32_t Fail(const opsrun_host*, void* where, int32_t code, opsrun_str text, opsrun_str subject) {
  return where == nullptr ? FailEntry(code, text) : FailAt(where, code, TextOfPlugin(text), TextOfPlugin(subject));
}

// "node 'y' (graph.yaml:9:3): ". Of what a kernel warns, the user wants to know which node it is about; what it prints
// otherwise is a result.
std::string Subject(const LogLine& line) {
  if (line.node.empty() || line.severity < OPSRUN_LOG_WARNING) return "";
  const std::string place =
      line.graph.empty() || !line.place.known()
          ? ""
          : fmt::format(" ({}:{}:{})", line.graph, line.place.begin.line, line.place.begin.column);
  return fmt::format("node '{}'{}: ", line.node, place);
}

void WriteLine(const opsrun_host* host, const LogLine& line) {
  if (line.severity < Of(host).log_threshold) return;
  if (Of(host).log_sink) return Of(host).log_sink(line);
  static constexpr const char* kNames[] = {"info", "warning", "error"};
  const char* name = line.severity >= 0 && line.severity <= 2 ? kNames[line.severity] : "info";
  const std::string place = line.source.empty() ? "" : fmt::format(" ({}:{})", line.source, line.source_line);
  const std::string written =
      fmt::format("{}: {}{}{}\n", name, Printable(Subject(line)), Printable(line.text), Printable(place));
  std::fwrite(written.data(), 1, written.size(), stderr);
}

// What the line is about. `where` tells it for a call; create, shape functions and LOG have none, but the code that
// runs on this thread is known.
void Describe(void* where, LogLine& line) {
  const bool is_call = where != nullptr && KindOf(where) == OPSRUN_KIND_CALL;
  if (const auto* call = static_cast<const opsrun_call*>(where); is_call && call->lane != nullptr) {
    const CallSlots& slots = SlotsOf(call);
    const Step& step = slots.StepOf(call);
    line.plugin = step.kernel()->plugin->name;
    line.node = slots.plan().NodeName(step);
    line.graph = slots.plan().graph().source->path;
    line.place = slots.plan().PlaceOf(step);
  } else if (const PluginCode* const running = RunningCode()) {
    const PluginCodeFacts facts = running->Facts();
    line.plugin = facts.name;
    line.node = facts.node;
    if (facts.source != nullptr) line.graph = facts.source->path;
    line.place = facts.where;
  }
}

void Log(const opsrun_host* host, void* where, int32_t severity, opsrun_str text, opsrun_str file, uint32_t line) {
  const std::string what = TextOfPlugin(text), source = TextOfPlugin(file);
  LogLine logged{.severity = severity, .text = what, .source = source, .source_line = line};
  Describe(where, logged);
  WriteLine(host, logged);
}

int32_t LogThreshold(const opsrun_host* host) {
  return Of(host).log_threshold;
}

int64_t TraceNow(opsrun_call* call) {
  return SlotsOf(call).run().TraceNow();
}
void TraceSpan(opsrun_call* call, opsrun_str name, int64_t begin) {
  if (begin > 0) SlotsOf(call).AddPart(call, TextOfPlugin(name), begin);
}

constexpr opsrun_log kLog = {.size = sizeof(opsrun_log), .flags = 0, .threshold = LogThreshold};
constexpr opsrun_trace kTrace = {.size = sizeof(opsrun_trace), .flags = 0, .now = TraceNow, .span = TraceSpan};

int32_t ReserveMemory(const opsrun_host* host, uint64_t bytes) {
  return Of(host).device->Reserve(bytes) ? OPSRUN_OK : OPSRUN_RESOURCE_EXHAUSTED;
}
void GiveBackMemory(const opsrun_host* host, uint64_t bytes) {
  Of(host).device->GiveBack(bytes);
}

constexpr opsrun_memory kMemory = {
    .size = sizeof(opsrun_memory), .flags = 0, .reserve = ReserveMemory, .give_back = GiveBackMemory};

const void* Query(const opsrun_host*, opsrun_str id) {
  const std::string name = TextOfPlugin(id);
  if (name == OPSRUN_CUDA_1) return &kCudaInterface;
  if (name == OPSRUN_LOG_1) return &kLog;
  if (name == OPSRUN_MEMORY_1) return &kMemory;
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
int32_t TrySchedule(opsrun_call* call, opsrun_task_fn fn, void* ctx) {
  ThreadPool* pool = SlotsOf(call).pool();
  return pool != nullptr && SlotsOf(call).scheduled().Try(*pool, call, fn, ctx) ? 1 : 0;
}
int32_t WaitScheduled(opsrun_call* call) {
  if (ScheduledTasks::IsTaskOf(call))
    return SlotsOf(call).Fail(call, OPSRUN_FAILED_PRECONDITION,
                              "a scheduled function cannot wait: it would wait for itself", "");
  return SlotsOf(call).scheduled().Wait(call).value_or(OPSRUN_OK);
}
int32_t NumThreads(opsrun_call* call) {
  const ThreadPool* pool = SlotsOf(call).pool();
  const int32_t threads = pool == nullptr ? 1 : pool->threads();
#if OPSRUN_LEVEL >= 2
  const uint64_t most = SlotsOf(call).StepOf(call).kernel()->most_threads;
  if (most > 0) return static_cast<int32_t>(std::min<uint64_t>(most, static_cast<uint64_t>(threads)));
#endif
  return threads;
}
int32_t CurrentThread(opsrun_call* call) {
  const ThreadPool* pool = SlotsOf(call).pool();
  return pool == nullptr ? -1 : pool->CurrentThread();
}
int32_t IsCancelled(opsrun_call* call) {
  return SlotsOf(call).run().MustStop() ? 1 : 0;
}

#if OPSRUN_LEVEL >= 2
int32_t NodeName(opsrun_call* call, opsrun_str* name) {
  const std::string_view text = SlotsOf(call).NodeName(call);
  *name = {text.data(), text.size()};
  return OPSRUN_OK;
}
#endif

int32_t OutputIsUsed(opsrun_call* call, uint32_t i) {
  return SlotsOf(call).OutputIsUsed(call, i) ? 1 : 0;
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
    .wait_scheduled = WaitScheduled,
    .num_threads = NumThreads,
    .current_thread = CurrentThread,
    .cancelled = IsCancelled,
    .resource = slots::Resource,
    .resource_retain = Resources::Retain,
    .resource_release = Resources::Release,
    .resource_object = slots::ResourceObject,
    .output_is_used = OutputIsUsed,
    .resource_delete = slots::ResourceDelete,
#if OPSRUN_LEVEL >= 2
    .node_name = NodeName,
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

HeldTensors* HeldOf(const opsrun_host* host) {
  return Of(host).held.get();
}

Device& DeviceOf(const opsrun_host* host) {
  return *Of(host).device;
}

void Log(const opsrun_host* host, const LogLine& line) {
  WriteLine(host, line);
}

void Warn(const opsrun_host* host, const std::string& text) {
  WriteLine(host, {.severity = OPSRUN_LOG_WARNING, .text = text});
}

Status TakeRefusal(const opsrun_host* host) {
  const std::lock_guard<std::mutex> lock(Of(host).refusing);
  return std::exchange(Of(host).refusal, OkStatus());
}

uint64_t NextRunId(const opsrun_host* host) {
  return Of(host).runs.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace opsrun::host
