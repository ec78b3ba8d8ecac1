// tests/sdk/threads_test.cc: kernels that finish on another thread, and those that fail before.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "opsrun/async_op_kernel.h"
#include "opsrun/logging.h"
#include "opsrun/mutex.h"
#include "opsrun/shard.h"
#include "opsrun/trace.h"
#include "tests/sdk/run_body.h"

namespace opsrun_test {
namespace {

typedef AsyncOpKernel::DoneCallback Done;

inline thread_local std::function<void(OpKernelContext*, Done)> async_body;

class AsyncBodyOp : public AsyncOpKernel {
 public:
  using AsyncOpKernel::AsyncOpKernel;
  void ComputeAsync(OpKernelContext* context, DoneCallback done) override { async_body(context, done); }
};

// The kernel's result for 20, or its failure.
std::string Computed(std::function<void(OpKernelContext*, Done)> body) {
  BodyTest t;
  t.create.In("x", OPSRUN_DT_INT32).Out("y", OPSRUN_DT_INT32);
  t.call.In<int32_t>({}, {20}).Planned(OPSRUN_DT_INT32, {});
  async_body = std::move(body);
  const std::string failure = t.ComputeOf<AsyncBodyOp>();
  return failure.empty() ? std::to_string(t.call.Values<int32_t>(0)[0]) : failure;
}

void Double(OpKernelContext* context) {
  Tensor* y = NewOutput(context, 0, TensorShape({}));
  y->scalar<int32>()() = 2 * context->input(0).scalar<int32>()();
}

TEST(AsyncOpKernel, WaitsForTheOtherThread) {
  std::thread other;
  EXPECT_EQ(Computed([&other](OpKernelContext* context, Done done) {
              const std::function<void()> as_function = done;
              other = std::thread([context, as_function] {
                Double(context);
                as_function();
              });
            }),
            "40");
  other.join();
}

TEST(AsyncOpKernel, MayBeDoneBeforeItReturns) {
  EXPECT_EQ(Computed([](OpKernelContext* context, Done done) {
              Double(context);
              done();
            }),
            "40");
}

TEST(AsyncOpKernel, FailsAndIsDone) {
  EXPECT_EQ(Computed([](OpKernelContext* context, Done done) {
              OP_REQUIRES_OK_ASYNC(context, Status::OK(), done);
              OP_REQUIRES_ASYNC(context, false, errors::OutOfRange("too far"), done);
            }),
            "11: too far");
  EXPECT_EQ(Computed([](OpKernelContext* context, Done done) {
              OP_REQUIRES_OK_ASYNC(context, errors::NotFound("nowhere"), done);
            }),
            "5: nowhere");
}

TEST(AsyncOpKernel, DoesNotWaitForOneThatGivesUp) {
  EXPECT_EQ(Computed([](OpKernelContext*, Done) { CHECK(false); }).substr(0, 23), "13: Check failed: false");
}

// How often each index of [0, total) is visited, with at most `parallelism` of `threads` threads.
std::vector<int> Covered(int64 total, int parallelism, int threads = 1) {
  std::vector<int> counts(static_cast<size_t>(total));
  BodyTest t;
  t.host.PretendThreads(threads);
  int calls = 0;
  t.Computes([&](OpKernelContext* context) {
    auto workers = *context->device()->tensorflow_cpu_worker_threads();
    std::mutex mutex;
    Shard(parallelism == 0 ? workers.num_threads : parallelism, workers.workers, total, 1000,
          [&](int64 begin, int64 end) {
            std::lock_guard<std::mutex> lock(mutex);
            ++calls;
            EXPECT_LT(begin, end);
            for (int64 i = begin; i < end; ++i) ++counts.at(static_cast<size_t>(i));
          });
  });
  EXPECT_LE(calls, parallelism == 0 ? threads : parallelism);
  EXPECT_EQ(calls > 1, total > 1 && threads > 1 && parallelism != 1) << total << " " << parallelism << " " << threads;
  return counts;
}

TEST(Shard, CoversEveryIndexOnce) {
  for (const int threads : {1, 2, 8, 16}) {
    for (const int parallelism : {0, 1, 2, 3, 6, 100}) {
      for (const int64 total : {1, 2, 7, 9, 1000}) {
        EXPECT_EQ(Covered(total, parallelism, threads), std::vector<int>(static_cast<size_t>(total), 1))
            << total << " on " << parallelism << " of " << threads;
      }
    }
  }
}

TEST(Shard, OfNothingCallsNothing) {
  EXPECT_TRUE(Covered(0, 0).empty());
}

TEST(Shard, TakesBodiesOfInts) {
  BodyTest t;
  t.Computes([](OpKernelContext* context) {
    int sum = 0;
    context->device()->tensorflow_cpu_worker_threads()->workers->ParallelFor(3, 1, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) sum += i;
    });
    EXPECT_EQ(sum, 3);
  });
}

TEST(Shard, ThatTheHostDoesNotRunFailsTheCall) {
  BodyTest t;
  t.ComputeFails("8:", [&](OpKernelContext* context) {
    t.host.FailIn(0);
    context->device()->tensorflow_cpu_worker_threads()->workers->ParallelFor(3, 1, [](int64, int64) { ADD_FAILURE(); });
  });
}

TEST(Shard, StopsWhatABodyThrows) {
  BodyTest t;
  t.ComputeFails("13: The plugin threw an exception: in a block", [](OpKernelContext* context) {
    auto workers = *context->device()->tensorflow_cpu_worker_threads();
    Shard(workers.num_threads + 1, workers.workers, 10, 1,
          [](int64, int64) { throw std::runtime_error("in a block"); });
  });
}

struct Guarded {
  mutex mu;
  int count TF_GUARDED_BY(mu) = 0;
};

TEST(Mutex, LetsOneThreadInAtATime) {
  Guarded counter;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&counter] {
      for (int k = 0; k < 10000; ++k) {
        mutex_lock lock(counter.mu);
        ++counter.count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  mutex_lock lock(counter.mu);
  EXPECT_EQ(counter.count, 40000);
}

TEST(Mutex, IsSharedByReaders) {
  mutex mu(LINKER_INITIALIZED);
  tf_shared_lock one(mu), two(mu);
  EXPECT_FALSE(mu.try_lock());
  mutex_lock third(mu, std::try_to_lock);
  EXPECT_FALSE(third);
}

TEST(ConditionVariable, WakesWhoWaits) {
  mutex mu;
  condition_variable ready;
  bool is_ready = false;
  std::thread other([&] {
    mutex_lock lock(mu);
    is_ready = true;
    ready.notify_all();
  });
  {
    mutex_lock lock(mu);
    while (!is_ready) ready.wait(lock);
  }
  other.join();
  EXPECT_TRUE(is_ready);
}

TEST(TraceSpan, TellsTheTraceWhenItEnds) {
  BodyTest t;
  t.host.RecordSpans();
  t.Computes([](OpKernelContext* context) {
    const TraceSpan outer(context, "outer");
    { const TraceSpan inner(context, "inner"); }
  });
  const auto& spans = t.host.spans();
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].name, "inner");
  EXPECT_EQ(spans[1].name, "outer");
  EXPECT_GT(spans[1].begin, 0);
  EXPECT_LE(spans[1].begin, spans[0].begin);
}

TEST(TraceSpan, TellsNothingIfNobodyRecords) {
  BodyTest t;
  t.Computes([](OpKernelContext* context) { const TraceSpan span(context, "span"); });
  EXPECT_TRUE(t.host.spans().empty());
}

}  // namespace
}  // namespace opsrun_test
