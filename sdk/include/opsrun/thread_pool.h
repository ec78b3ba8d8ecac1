// opsrun/thread_pool.h: thread::ThreadPool, a kernel's access to the threads of the host.
//
// The pool of device()->tensorflow_cpu_worker_threads() belongs to one call of Compute and is valid while that call
// runs. The calling thread works too, and tasks do not wait in a queue, so a kernel that uses it cannot block another
// one. If the body of a loop throws an exception, the call fails.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "opsrun/c_api.h"
#include "opsrun/namespace.h"
#include "opsrun/status.h"
#include "opsrun/types.h"

namespace Eigen {
class ThreadPoolInterface;
}

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class Env;
class OpKernelContext;
struct ThreadOptions;

namespace internal {
// The plugin's own threads, which tensorflow/core/lib/core/threadpool.h creates.
class OwnThreads {
 public:
  virtual ~OwnThreads() = default;
  virtual int size() const = 0;
  virtual int CurrentThread() const = 0;  // -1: not a thread of this pool
  virtual void Schedule(void (*run)(void* task), void* task) = 0;
  // Calls range(ctx, begin, end) on disjoint ranges that cover [0, total). Rethrows an exception of one of them.
  virtual void ParallelFor(int64 total, int64 cost_per_unit, void (*range)(void* ctx, int64 begin, int64 end),
                           void* ctx) = 0;
};

// The body of a loop, without its type, so that the functions which divide loops are compiled once. Refers to `fn`.
class LoopBody {
 public:
  template <typename Fn>
  explicit LoopBody(const Fn& fn)
      : fn_(&fn), run_([](const void* self, int64 begin, int64 end) { (*static_cast<const Fn*>(self))(begin, end); }) {}
  void operator()(int64 begin, int64 end) const { run_(fn_, begin, end); }

 private:
  const void* fn_;
  void (*run_)(const void* fn, int64 begin, int64 end);
};

// context->SetStatus(status), for headers that OpKernelContext includes.
void SetStatus(OpKernelContext* context, const Status& status);
void NoteScheduled(OpKernelContext* context);
}  // namespace internal

namespace thread {

class ThreadPool {
 public:
  enum class SchedulingStrategy { kAdaptive, kFixedBlockSize };

  // How ParallelFor splits a loop: kAdaptive by the cost of one index, kFixedBlockSize into blocks of one size. The
  // parameter of the other strategy may be std::nullopt.
  class SchedulingParams {
   public:
    template <typename Cost, typename Size>
    SchedulingParams(SchedulingStrategy strategy, Cost cost_per_unit, Size block_size)
        : strategy_(strategy), cost_per_unit_(NumberOf(cost_per_unit)), block_size_(NumberOf(block_size)) {}

   private:
    friend class ThreadPool;
    template <typename Number>
    static int64 NumberOf(const Number& number) {
      if constexpr (std::is_arithmetic_v<Number>) {
        return static_cast<int64>(number);
      } else if constexpr (std::is_constructible_v<bool, const Number&>) {
        return number ? static_cast<int64>(*number) : 0;
      } else {
        return 0;
      }
    }

    SchedulingStrategy strategy_;
    int64 cost_per_unit_, block_size_;
  };

  ThreadPool(opsrun_call* call, OpKernelContext* context) : call_(call), context_(context) {}
  // The plugin's own threads, for sources that do not use the host's. The destructor runs the scheduled tasks and joins
  // the threads. Requires #include "tensorflow/core/lib/core/threadpool.h".
  ThreadPool(Env* env, const std::string& name, int num_threads);
  ThreadPool(Env* env, const ThreadOptions& options, const std::string& name, int num_threads, bool = true);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool() {
    if (call_ == nullptr) delete own_;
  }

  int NumThreads() const { return call_ == nullptr ? own_->size() : call_->host->num_threads(call_); }
  // 0 to NumThreads() - 1, or -1 for a thread that is not in the pool.
  int CurrentThreadId() const { return call_ == nullptr ? own_->CurrentThread() : call_->host->current_thread(call_); }

  // Runs fn() once, on another thread or, if none is idle, on the calling thread before Schedule returns. The call ends
  // only after fn has; a kernel that needs its results earlier waits for them itself.
  template <typename Fn>
  void Schedule(Fn fn) const {
    auto* task = new Task<Fn>{call_ == nullptr ? nullptr : context_, std::move(fn)};
    if (call_ == nullptr) {
      own_->Schedule(&Task<Fn>::RunAlone, task);
      return;
    }
    internal::NoteScheduled(context_);
    if (call_->host->try_schedule(call_, &Task<Fn>::Run, task) == 0) Task<Fn>::Run(task);
  }

  // Calls fn(begin, end) on disjoint ranges that cover [0, total). Returns when all ranges are done or one of them has
  // failed. cost_per_unit: the approximate time for one index, in nanoseconds.
  template <typename Fn>
  void ParallelFor(int64 total, int64 cost_per_unit, const Fn& fn) const {
    ParallelFor(total, cost_per_unit, internal::LoopBody(fn));
  }
  void ParallelFor(int64 total, int64 cost_per_unit, const internal::LoopBody& body) const {
    if (total <= 0) return;
    if (TF_PREDICT_FALSE(call_ == nullptr)) {
      const auto run = [](void* ctx, int64 begin, int64 end) { (*static_cast<internal::LoopBody*>(ctx))(begin, end); };
      return own_->ParallelFor(total, cost_per_unit, run, const_cast<internal::LoopBody*>(&body));
    }
    Range range{context_, body};
    const int32_t code = call_->host->parallel_for(call_, total, cost_per_unit, &Range::Run, &range);
    if (code != OPSRUN_OK) {
      internal::SetStatus(context_, Status(static_cast<error::Code>(code), "A parallel loop did not run to its end"));
    }
  }

  template <typename Fn>
  void ParallelFor(int64 total, const SchedulingParams& params, const Fn& fn) const {
    if (params.strategy_ == SchedulingStrategy::kAdaptive) return ParallelFor(total, params.cost_per_unit_, fn);
    TransformRangeConcurrently(params.block_size_, total, fn);
  }

  // The same with ranges of `block_size` indices; the last one may be shorter.
  template <typename Fn>
  void TransformRangeConcurrently(int64 block_size, int64 total, const Fn& fn) const {
    if (block_size <= 0 || total <= 0) return;
    const int64 blocks = (total - 1) / block_size + 1, nanoseconds_per_block = 100000;
    ParallelFor(blocks, nanoseconds_per_block, [&](int64 first, int64 last) {
      for (int64 block = first; block < last; ++block) {
        const int64 begin = block * block_size;
        fn(begin, total - begin < block_size ? total : begin + block_size);
      }
    });
  }

  // The number of ranges in that call.
  int NumShardsUsedByTransformRangeConcurrently(int64 block_size, int64 total) const {
    if (block_size <= 0 || total <= block_size || NumThreads() == 1) return 1;
    return static_cast<int>((total - 1) / block_size + 1);
  }
  int NumShardsUsedByFixedBlockSizeScheduling(int64 total, int64 block_size) const {
    return NumShardsUsedByTransformRangeConcurrently(block_size, total);
  }

  // ParallelFor with fn(begin, end, id): concurrent calls have different ids, from 0 to NumThreads(). how: the cost of
  // one index, or SchedulingParams.
  template <typename How, typename Fn>
  void ParallelForWithWorkerId(int64 total, const How& how, const Fn& fn) const {
    ParallelFor(total, how, [&](int64 begin, int64 end) { fn(begin, end, CurrentThreadId() + 1); });
  }

  // These threads for Eigen, valid as long as the pool. Requires that the source includes Eigen's ThreadPool or Tensor.
  inline Eigen::ThreadPoolInterface* AsEigenThreadPool();

 private:
  template <typename Fn>
  struct Task {
    OpKernelContext* context;  // NULL: the plugin's own threads
    Fn fn;
    static void RunAlone(void* self) {
      Fn fn = std::move(static_cast<Task*>(self)->fn);
      delete static_cast<Task*>(self);
      fn();
    }
    // A failure becomes that of the call, which waits for this task.
    static int32_t Run(void* self) {
      OpKernelContext* const context = static_cast<Task*>(self)->context;
      const Status status = internal::Guarded([&] {
        RunAlone(self);
        return Status();
      });
      if (!status.ok()) internal::SetStatus(context, status);
      return OPSRUN_OK;
    }
  };

  struct Range {
    OpKernelContext* context;
    internal::LoopBody body;
    static int32_t Run(void* self, int64_t begin, int64_t end) {
      const Range& range = *static_cast<Range*>(self);
      const Status status = internal::Guarded([&] {
        range.body(begin, end);
        return Status();
      });
      internal::SetStatus(range.context, status);
      return status.code();
    }
  };

  opsrun_call* call_ = nullptr;  // NULL: the plugin's own threads
  union {
    OpKernelContext* context_;
    internal::OwnThreads* own_;
  };
  alignas(void*) unsigned char eigen_[2 * sizeof(void*)];  // what AsEigenThreadPool returns
};

}  // namespace thread
}  // namespace OPSRUN_HIDDEN
