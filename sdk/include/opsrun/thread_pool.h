// opsrun/thread_pool.h: thread::ThreadPool, a kernel's access to the threads of the host.
//
// It belongs to one call of Compute and is valid while that call runs. The calling thread works too, and nothing waits
// in a queue, so a kernel that uses it cannot block another one. If the body of a loop throws an exception, the call
// fails.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include "opsrun/c_api.h"
#include "opsrun/internal/guard.h"
#include "opsrun/namespace.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class OpKernelContext;

namespace internal {
// context->SetStatus(status), for headers that OpKernelContext includes.
void SetStatus(OpKernelContext* context, const Status& status);
}  // namespace internal

namespace thread {

class ThreadPool {
 public:
  ThreadPool(opsrun_call* call, OpKernelContext* context) : call_(call), context_(context) {}

  int NumThreads() const { return call_->host->num_threads(call_); }
  // 0 to NumThreads() - 1, or -1 for a thread that is not in the pool.
  int CurrentThreadId() const { return call_->host->current_thread(call_); }

  // Calls fn(begin, end) on ranges that together cover [0, total) exactly once. Returns when all ranges are done or one
  // of them has failed. cost_per_unit: the approximate time for one index, in nanoseconds.
  template <typename Fn>
  void ParallelFor(int64 total, int64 cost_per_unit, const Fn& fn) const {
    if (total <= 0) return;
    Range<Fn> range{context_, &fn};
    const int32_t code = call_->host->parallel_for(call_, total, cost_per_unit, &Range<Fn>::Run, &range);
    if (code != OPSRUN_OK) {
      internal::SetStatus(context_, Status(static_cast<error::Code>(code), "A parallel loop did not run to its end"));
    }
  }

 private:
  template <typename Fn>
  struct Range {
    OpKernelContext* context;
    const Fn* fn;
    static int32_t Run(void* self, int64_t begin, int64_t end) {
      const Range& range = *static_cast<Range*>(self);
      const Status status = internal::Guarded([&] {
        (*range.fn)(begin, end);
        return Status();
      });
      internal::SetStatus(range.context, status);
      return status.code();
    }
  };

  opsrun_call* call_;
  OpKernelContext* context_;
};

}  // namespace thread
}  // namespace OPSRUN_HIDDEN
