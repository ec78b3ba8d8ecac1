// opsrun/thread_pool.h: thread::ThreadPool, the host's threads as a kernel sees them.
//
// It belongs to one call of Compute and is valid while that runs. The caller works too, and nothing waits in a queue, so a kernel that
// uses it cannot block another. A body that throws fails the call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include "opsrun/c_api.h"
#include "opsrun/internal/guard.h"
#include "opsrun/namespace.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace thread {

class ThreadPool {
 public:
  ThreadPool() = default;
  explicit ThreadPool(opsrun_call* call) : call_(call) {}

  int NumThreads() const { return call_->host->num_threads(call_); }
  // 0 to NumThreads() - 1, or -1 for a thread outside the pool.
  int CurrentThreadId() const { return call_->host->current_thread(call_); }

  // Calls fn(begin, end) on ranges that cover [0, total) once, and returns when all are done. cost_per_unit: nanoseconds of one index.
  template <typename Fn>
  void ParallelFor(int64 total, int64 cost_per_unit, const Fn& fn) const {
    if (total <= 0) return;
    Range<Fn> range{call_, &fn};
    const int32_t code = call_->host->parallel_for(call_, total, cost_per_unit, &Range<Fn>::Run, &range);
    if (code != OPSRUN_OK) internal::Fail(Status(static_cast<error::Code>(code), "A block of a parallel loop failed"));
  }

 private:
  template <typename Fn>
  struct Range {
    opsrun_call* call;
    const Fn* fn;
    static int32_t Run(void* self, int64_t begin, int64_t end) {
      const Range& range = *static_cast<Range*>(self);
      return internal::Report(range.call->host, range.call, internal::Guarded([&] {
                                (*range.fn)(begin, end);
                                return Status();
                              }));
    }
  };

  opsrun_call* call_ = nullptr;
};

}  // namespace thread
}  // namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN
