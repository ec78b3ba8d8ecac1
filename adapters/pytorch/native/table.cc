// adapters/pytorch/native/table.cc: the functions that kernels call.
// SPDX-License-Identifier: Apache-2.0
#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "call.h"
#include "errors.h"

namespace opsrun_torch {
namespace {

const opsrun_host* engine_table = nullptr;

Call& Of(void* where) {
  return *static_cast<Call*>(static_cast<opsrun_call*>(where));
}
bool IsCall(const void* where) {
  return where != nullptr && static_cast<const opsrun_call*>(where)->kind == OPSRUN_KIND_CALL;
}

int32_t Fail(void* where, int32_t code, opsrun_str text, opsrun_str subject) {
  if (!IsCall(where)) return engine_table->fail(where, code, text, subject);
  return Of(where).Fail(code, Text(text), Text(subject));
}

void Log(void* where, int32_t severity, opsrun_str text, opsrun_str file, uint32_t line) {
  engine_table->log(IsCall(where) ? nullptr : where, severity, text, file, line);
}

// What is about a call of the engine's own, such as a trace, is not offered.
const void* Query(void*, opsrun_str id) {
  return Text(id) == OPSRUN_LOG_1 ? engine_table->query(nullptr, id) : nullptr;
}

int32_t AllocateOutput(opsrun_call* call, uint32_t i, int32_t rank, const int64_t* dims, opsrun_tensor** view) {
  return Of(call).AllocateOutput(i, rank, dims, view);
}

int32_t SetOutput(opsrun_call* call, uint32_t i, const opsrun_tensor* t) {
  return Of(call).SetOutput(i, t);
}

// Inputs belong to the caller.
int32_t ForwardInput(opsrun_call*, uint32_t, uint32_t, int32_t, const int64_t*, opsrun_tensor** view) {
  *view = nullptr;
  return OPSRUN_OK;
}

int32_t AllocateTemp(void* where, int32_t dtype, int32_t rank, const int64_t* dims, uint32_t flags,
                     const opsrun_tensor** t) {
  if (!IsCall(where)) return engine_table->allocate_temp(where, dtype, rank, dims, flags, t);
  return Of(where).AllocateTemp(dtype, rank, dims, t);
}

// Inputs and outputs are copied: the program may write to them later.
int32_t Retain(const opsrun_tensor* t, const opsrun_tensor** kept) {
  if (Temporary* const temporary = Temporary::Of(t)) {
    temporary->Retain();
    *kept = t;
    return OPSRUN_OK;
  }
  const TypeNumbers* const type = FindType(t->dtype);
  if (type == nullptr || t->rank < 0) return OPSRUN_FAILED_PRECONDITION;
  try {
    *kept = Temporary::Make(t->host, *type, CopyOf(*t, *type));
    return OPSRUN_OK;
  } catch (const std::exception&) {
    return OPSRUN_RESOURCE_EXHAUSTED;
  }
}

void Release(const opsrun_tensor* t) {
  if (t == nullptr) return;
  if (Temporary* const temporary = Temporary::Of(t)) temporary->Release();
}

int32_t NoStrings(const opsrun_tensor*, uint64_t, const char*, uint64_t) {
  return OPSRUN_UNIMPLEMENTED;
}
int32_t NoSwap(const opsrun_tensor*, uint64_t, uint64_t) {
  return OPSRUN_UNIMPLEMENTED;
}

// A block takes 20 microseconds or more, so that starting it costs little.
int32_t ParallelFor(opsrun_call*, int64_t n, int64_t unit_cost_ns, opsrun_range_fn fn, void* ctx) {
  constexpr int64_t kBlockNs = 20'000;
  const int64_t grain = std::max<int64_t>(1, kBlockNs / std::max<int64_t>(1, unit_cost_ns));
  std::atomic<int32_t> code{OPSRUN_OK};
  at::parallel_for(0, n, grain, [&](int64_t begin, int64_t end) {
    int32_t fine = OPSRUN_OK;
    if (const int32_t mine = fn(ctx, begin, end); mine != OPSRUN_OK) code.compare_exchange_strong(fine, mine);
  });
  return code;
}

// PyTorch has no threads that are known to be idle.
int32_t TrySchedule(opsrun_call*, void (*)(void*), void*) {
  return 0;
}
int32_t NumThreads(opsrun_call*) {
  return std::max(1, at::get_num_threads());
}
int32_t CurrentThread(opsrun_call*) {
  return at::in_parallel_region() ? at::get_thread_num() : -1;
}
int32_t Cancelled(opsrun_call*) {
  return 0;
}

int32_t Resource(void* where, opsrun_str container, opsrun_str name, opsrun_str type, int32_t (*make)(void*, void**),
                 void* ctx, void (*destroy)(void*), const opsrun_resource** r) {
  if (!IsCall(where)) return engine_table->resource(where, container, name, type, make, ctx, destroy, r);
  return opsrun_kernel_object_resource(Of(where).kernel(), container, name, type, make, ctx, destroy, r);
}
int32_t ResourceDelete(void* where, opsrun_str container, opsrun_str name, opsrun_str type) {
  if (!IsCall(where)) return engine_table->resource_delete(where, container, name, type);
  return opsrun_kernel_object_resource_delete(Of(where).kernel(), container, name, type);
}

}  // namespace

const opsrun_host* MakeTable(const opsrun_host* engine) {
  engine_table = engine;
  auto* const table = new opsrun_host{};
  std::memcpy(table, engine, std::min<size_t>(engine->size, sizeof(*table)));
  table->size = std::min<uint32_t>(engine->size, sizeof(*table));
  table->level = std::min<uint32_t>(engine->level, OPSRUN_LEVEL);
  table->fail = Fail;
  table->log = Log;
  table->query = Query;
  table->allocate_output = AllocateOutput;
  table->set_output = SetOutput;
  table->forward_input = ForwardInput;
  table->allocate_temp = AllocateTemp;
  table->retain = Retain;
  table->release = Release;
  table->string_assign = NoStrings;
  table->string_swap = NoSwap;
  table->parallel_for = ParallelFor;
  table->try_schedule = TrySchedule;
  table->num_threads = NumThreads;
  table->current_thread = CurrentThread;
  table->cancelled = Cancelled;
  table->resource = Resource;
  table->resource_delete = ResourceDelete;
  return table;
}

}  // namespace opsrun_torch
