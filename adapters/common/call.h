// adapters/common/call.h: one execution of a kernel in a framework, and the table of functions for it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "card.h"
#include "engine.h"
#include "opsrun/embed_host.h"

namespace opsrun_adapter {

class Frame : public opsrun_call {
 public:
  // Sets each field, since compilers zero the whole struct with a slow instruction. The rest is set by derived classes:
  // in, out, n_in, n_out.
  Frame(const opsrun_host* table, const opsrun_kernel_object* its_kernel) : kernel_(its_kernel) {
    size = sizeof(opsrun_call);
    kind = OPSRUN_KIND_CALL;
    flags = 0;
    host = table;
    stream = nullptr;
    forwardable = 0;
    run_id = 0;
    lane = nullptr;
    device = {OPSRUN_DEVICE_CPU, 0};
    workspace = nullptr;
    workspace_bytes = 0;
  }
  Frame(const Frame&) = delete;
  ~Frame() { delete problem_.load(std::memory_order_relaxed); }

  const opsrun_kernel_object* kernel() const { return kernel_; }

  // Keeps the first failure. Any thread.
  [[gnu::cold, gnu::noinline]] int32_t Fail(int32_t code, std::string_view why, std::string_view whose = {}) {
    auto made = std::make_unique<const Problem>(Problem{std::string(why), std::string(whose)});
    const Problem* none = nullptr;
    if (problem_.compare_exchange_strong(none, made.get())) made.release();
    return code == OPSRUN_OK ? OPSRUN_UNKNOWN : code;
  }

  // After a failure: the reason, and the failed subject, such as "input:x".
  std::string text() const {
    const Problem* const problem = problem_.load();
    return problem == nullptr || problem->text.empty() ? "the kernel gives no reason" : problem->text;
  }
  std::string subject() const {
    const Problem* const problem = problem_.load();
    return problem == nullptr ? "" : problem->subject;
  }

 private:
  struct Problem {
    std::string text, subject;
  };

  const opsrun_kernel_object* const kernel_;
  std::atomic<const Problem*> problem_{nullptr};
};

// A table in which the slots for one call use the methods of Call, a class derived from Frame; all other slots are the
// engine's. Call::Temporary is a reference-counted tensor type; Call::Keep converts any other tensor to it. Strings,
// forwarding and idle threads are not offered. A Call that may run on a card has `Card& card()`, and its AllocateTemp
// gets the flags OPSRUN_TEMP_*, too; on a card, Frame's device and stream are set.
template <typename Call>
class HostTable {
  using Temporary = typename Call::Temporary;

 public:
  // The engine must outlive the result, which lives as long as the process.
  static const opsrun_host* Make(const opsrun_engine* engine) {
    engine_ = opsrun_engine_host(engine);
    auto* const table = new opsrun_host(opsrun_engine_host_copy(engine));
    SetSlots(*table);
    return table_ = table;
  }

 private:
  template <typename T, typename = void>
  struct HasCard : std::false_type {};
  template <typename T>
  struct HasCard<T, std::void_t<decltype(std::declval<T&>().card())>> : std::true_type {};

  static void SetSlots(opsrun_host& table) {
    table.fail = Fail;
    table.log = Log;
    table.query = Query;
    table.allocate_output = [](opsrun_call* call, uint32_t i, int32_t rank, const int64_t* dims, opsrun_tensor** view) {
      return i < call->n_out ? Of(call).AllocateOutput(i, rank, dims, view) : NoOutput(call, i);
    };
    table.set_output = [](opsrun_call* call, uint32_t i, const opsrun_tensor* t) {
      return i < call->n_out ? Of(call).SetOutput(i, t) : NoOutput(call, i);
    };
    table.forward_input = NoForwarding;
    table.allocate_temp = AllocateTemp;
    table.retain = Retain;
    table.release = [](const opsrun_tensor* t) {
      if (t != nullptr && Temporary::Of(t) != nullptr) Temporary::Of(t)->Release();
    };
    table.string_assign = [](const opsrun_tensor*, uint64_t, const char*, uint64_t) -> int32_t {
      return OPSRUN_UNIMPLEMENTED;
    };
    table.string_swap = [](const opsrun_tensor*, uint64_t, uint64_t) -> int32_t { return OPSRUN_UNIMPLEMENTED; };
    table.parallel_for = [](opsrun_call* call, int64_t n, int64_t unit_cost_ns, opsrun_range_fn fn, void* ctx) {
      return Of(call).ParallelFor(n, unit_cost_ns, fn, ctx);
    };
    table.try_schedule = [](opsrun_call*, opsrun_task_fn, void*) -> int32_t { return 0; };
    table.wait_scheduled = [](opsrun_call*) -> int32_t { return OPSRUN_OK; };
    table.output_is_used = [](opsrun_call*, uint32_t) -> int32_t { return 1; };
    table.num_threads = [](opsrun_call* call) { return Of(call).NumThreads(); };
    table.current_thread = [](opsrun_call* call) { return Of(call).CurrentThread(); };
    table.cancelled = [](opsrun_call*) -> int32_t { return 0; };
    table.resource = Resource;
    table.resource_delete = ResourceDelete;
  }

  static Call& Of(void* where) { return *static_cast<Call*>(static_cast<opsrun_call*>(where)); }
  static bool IsCall(const void* where) {
    return where != nullptr && static_cast<const opsrun_call*>(where)->kind == OPSRUN_KIND_CALL;
  }

  static int32_t Fail(const opsrun_host*, void* where, int32_t code, opsrun_str text, opsrun_str subject) {
    if (!IsCall(where)) return engine_->fail(engine_, where, code, text, subject);
    return Of(where).Fail(code, Utf8(Text(text)), Utf8(Text(subject)));
  }

  static void Log(const opsrun_host*, void* where, int32_t severity, opsrun_str text, opsrun_str file, uint32_t line) {
    engine_->log(engine_, IsCall(where) ? nullptr : where, severity, text, file, line);
  }

  [[gnu::cold]] static int32_t NoOutput(opsrun_call* call, uint32_t i) {
    return Of(call).Fail(OPSRUN_INVALID_ARGUMENT, "there is no output " + std::to_string(i));
  }

  static int32_t Retain(const opsrun_tensor* t, const opsrun_tensor** kept) {
    Temporary* const temporary = Temporary::Of(t);
    if (temporary == nullptr) return Call::Keep(*t, kept);
    temporary->Retain();
    *kept = t;
    return OPSRUN_OK;
  }

  // Interfaces that belong to calls of the engine, such as tracing, are not offered.
  static const void* Query(const opsrun_host*, opsrun_str id) {
    if constexpr (HasCard<Call>::value) {
      static constexpr opsrun_cuda kCuda = {sizeof(opsrun_cuda), 0, OrderUse, SideStream};
      if (Text(id) == OPSRUN_CUDA_1) return &kCuda;
    }
    return Text(id) == OPSRUN_LOG_1 ? &kLog : nullptr;
  }

  // A tensor that was allocated in a create is the engine's.
  static int32_t OrderUse(const opsrun_tensor* t, void* stream) {
    if (t->host != engine_) return RecordUse(t, stream, table_);
    const opsrun_str id = {OPSRUN_CUDA_1, sizeof(OPSRUN_CUDA_1) - 1};
    return static_cast<const opsrun_cuda*>(engine_->query(engine_, id))->record_use(t, stream);
  }

  static int32_t SideStream(opsrun_call* call, uint32_t i, void** stream) {
    if (i >= Card::kSideStreams)
      return Of(call).Fail(OPSRUN_OUT_OF_RANGE, "there is no side stream " + std::to_string(i));
    const int error = Of(call).card().SideStream(i, *stream);
    return error == 0 ? OPSRUN_OK : Of(call).Fail(OPSRUN_INTERNAL, Card::TextOf(error, "a side stream"));
  }

  // Inputs cannot be forwarded because the caller owns them.
  static int32_t NoForwarding(opsrun_call*, uint32_t, uint32_t, int32_t, const int64_t*, opsrun_tensor** view) {
    *view = nullptr;
    return OPSRUN_OK;
  }

  static int32_t AllocateTemp(void* where, int32_t dtype, int32_t rank, const int64_t* dims, uint32_t flags,
                              const opsrun_tensor** t) {
    if (!IsCall(where)) return engine_->allocate_temp(where, dtype, rank, dims, flags, t);
    if constexpr (HasCard<Call>::value) {
      return Of(where).AllocateTemp(dtype, rank, dims, flags, t);
    } else {
      return Of(where).AllocateTemp(dtype, rank, dims, t);
    }
  }

  static int32_t Resource(void* where, opsrun_str container, opsrun_str name, opsrun_str type,
                          int32_t (*make)(void*, void**), void* ctx, void (*destroy)(void*),
                          const opsrun_resource** r) {
    if (!IsCall(where)) return engine_->resource(where, container, name, type, make, ctx, destroy, r);
    return opsrun_kernel_object_resource(Of(where).kernel(), container, name, type, make, ctx, destroy, r);
  }
  static int32_t ResourceDelete(void* where, opsrun_str container, opsrun_str name, opsrun_str type) {
    if (!IsCall(where)) return engine_->resource_delete(where, container, name, type);
    return opsrun_kernel_object_resource_delete(Of(where).kernel(), container, name, type);
  }

  static int32_t LogThreshold(const opsrun_host*) {
    const opsrun_str id = {OPSRUN_LOG_1, sizeof(OPSRUN_LOG_1) - 1};
    return static_cast<const opsrun_log*>(engine_->query(engine_, id))->threshold(engine_);
  }

  inline static const opsrun_host *engine_ = nullptr, *table_ = nullptr;
  static constexpr opsrun_log kLog = {sizeof(opsrun_log), 0, LogThreshold};
};

}  // namespace opsrun_adapter
