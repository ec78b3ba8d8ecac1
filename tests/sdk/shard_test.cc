// tests/sdk/shard_test.cc: loops over the host's threads.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/shard.h"

#include <mutex>
#include <stdexcept>

#include "tests/sdk/run_body.h"

namespace opsrun_test {
namespace {

// How often each index of [0, total) is covered, with at most `parallelism` of `threads` threads.
std::vector<int> Covered(int64 total, int parallelism, int threads = 1) {
  std::vector<int> counts(static_cast<size_t>(total));
  BodyTest t;
  t.host.PretendThreads(threads);
  int calls = 0;
  EXPECT_EQ(t.Compute([&](OpKernelContext* context) {
    auto workers = *context->device()->tensorflow_cpu_worker_threads();
    std::mutex mutex;
    Shard(parallelism == 0 ? workers.num_threads : parallelism, workers.workers, total, 1000,
          [&](int64 begin, int64 end) {
            std::lock_guard<std::mutex> lock(mutex);
            ++calls;
            EXPECT_LT(begin, end);
            for (int64 i = begin; i < end; ++i) ++counts.at(static_cast<size_t>(i));
          });
  }),
            "");
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
  EXPECT_EQ(t.Compute([](OpKernelContext* context) {
    int sum = 0;
    context->device()->tensorflow_cpu_worker_threads()->workers->ParallelFor(3, 1, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) sum += i;
    });
    EXPECT_EQ(sum, 3);
  }),
            "");
}

TEST(Shard, ThatTheHostDoesNotRunFailsTheCall) {
  BodyTest t;
  EXPECT_EQ(t.Compute([&](OpKernelContext* context) {
               t.host.FailIn(0);
               context->device()->tensorflow_cpu_worker_threads()->workers->ParallelFor(
                   3, 1, [](int64, int64) { ADD_FAILURE(); });
             }).substr(0, 2),
            "8:");
}

TEST(Shard, StopsWhatABodyThrows) {
  BodyTest t;
  EXPECT_EQ(t.Compute([](OpKernelContext* context) {
    auto workers = *context->device()->tensorflow_cpu_worker_threads();
    Shard(workers.num_threads + 1, workers.workers, 10, 1,
          [](int64, int64) { throw std::runtime_error("in a block"); });
  }),
            "13: The plugin threw an exception: in a block");
}

}  // namespace
}  // namespace opsrun_test
