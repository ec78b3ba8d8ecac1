// adapters/tensorflow/native/table.cc: the functions that kernels call.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>

#include "adapters/common/host_table.h"
#include "call.h"
#include "tensorflow/core/framework/cancellation.h"
#include "tensorflow/core/lib/core/threadpool.h"

namespace opsrun_tf {
namespace {

using tensorflow::thread::ThreadPool;

Call& Of(opsrun_call* call) {
  return *static_cast<Call*>(call);
}
View& ViewOf(const opsrun_tensor* t) {
  return *static_cast<View*>(const_cast<opsrun_tensor*>(t));
}
ThreadPool& PoolOf(const Call& call) {
  return *call.context().device()->tensorflow_cpu_worker_threads()->workers;
}

bool IsString(const opsrun_tensor* t, uint64_t i) {
  return t->dtype == OPSRUN_DT_STRING && t->rank >= 0 && i < static_cast<uint64_t>(ViewOf(t).tensor().NumElements());
}

// Kernels do not run on this pool, so its tasks wait only for each other. At most as many functions of plugins are
// scheduled as there are threads, and threads of the pool schedule none.
std::atomic<int> scheduled{0};

int32_t TrySchedule(opsrun_call* call, void (*fn)(void*), void* ctx) {
  ThreadPool& pool = PoolOf(Of(call));
  if (pool.CurrentThreadId() >= 0) return 0;
  if (scheduled.fetch_add(1) >= pool.NumThreads()) {
    scheduled.fetch_sub(1);
    return 0;
  }
  pool.Schedule([fn, ctx] {
    fn(ctx);
    scheduled.fetch_sub(1);
  });
  return 1;
}

}  // namespace

// Tensors are reference-counted, so nothing is copied.
int32_t Call::Keep(const opsrun_tensor& t, const opsrun_tensor** kept) {
  if (t.rank < 0) return OPSRUN_FAILED_PRECONDITION;
  *kept = new Temporary(t.host, t.dtype, t.dl, ViewOf(&t).tensor(), false);
  return OPSRUN_OK;
}

// A nested loop runs inline, since a block must not wait for others.
int32_t Call::ParallelFor(int64_t n, int64_t unit_cost_ns, opsrun_range_fn fn, void* ctx) {
  ThreadPool& pool = PoolOf(*this);
  if (n <= 0) return OPSRUN_OK;
  if (pool.CurrentThreadId() >= 0) return fn(ctx, 0, n);
  std::atomic<int32_t> code{OPSRUN_OK};
  const auto params = ThreadPool::SchedulingParams::Adaptive(std::max<int64_t>(1, unit_cost_ns));
  pool.ParallelFor(n, params, [&](int64_t begin, int64_t end) {
    int32_t fine = OPSRUN_OK;
    if (const int32_t mine = fn(ctx, begin, end); mine != OPSRUN_OK) code.compare_exchange_strong(fine, mine);
  });
  return code;
}

int32_t Call::NumThreads() const {
  return std::max(1, PoolOf(*this).NumThreads());
}

int32_t Call::CurrentThread() const {
  return PoolOf(*this).CurrentThreadId();
}

const opsrun_host* MakeTable(const opsrun_host* engine) {
  auto* const table = new opsrun_host(*opsrun_adapter::HostTable<Call>::Make(engine));
  table->forward_input = [](opsrun_call* call, uint32_t in, uint32_t out, int32_t rank, const int64_t* dims,
                            opsrun_tensor** view) { return Of(call).ForwardInput(in, out, rank, dims, view); };
  table->string_assign = [](const opsrun_tensor* t, uint64_t i, const char* p, uint64_t n) -> int32_t {
    if (!IsString(t, i)) return OPSRUN_INVALID_ARGUMENT;
    ViewOf(t).AssignString(i, p, n);
    return OPSRUN_OK;
  };
  table->string_swap = [](const opsrun_tensor* t, uint64_t i, uint64_t j) -> int32_t {
    if (!IsString(t, i) || !IsString(t, j)) return OPSRUN_INVALID_ARGUMENT;
    ViewOf(t).SwapStrings(i, j);
    return OPSRUN_OK;
  };
  table->try_schedule = TrySchedule;
  table->cancelled = [](opsrun_call* call) -> int32_t {
    tensorflow::CancellationManager* const manager = Of(call).context().cancellation_manager();
    return manager != nullptr && manager->IsCancelled() ? 1 : 0;
  };
  return table;
}

}  // namespace opsrun_tf
