// compat/tests/tensorflow/env_test.cc: files, threads and clocks, under TensorFlow's names.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "every_header.h"

namespace tensorflow {
namespace {

TEST(CompatThreads, RunTasks) {
  std::atomic<int> ran{0};
  {
    ThreadOptions options;
    options.stack_size = 1 << 20;
    options.guard_size = 4096;
    options.numa_node = 0;
    thread::ThreadPool pool(Env::Default(), options, "test", 3);
    EXPECT_EQ(pool.NumThreads(), 3);
    EXPECT_EQ(pool.CurrentThreadId(), -1);
    BlockingCounter counter(20);
    for (int i = 0; i < 20; ++i) {
      pool.Schedule([&] {
        EXPECT_GE(pool.CurrentThreadId(), 0);
        ++ran;
        counter.DecrementCount();
      });
    }
    counter.Wait();
    EXPECT_EQ(ran, 20);
    pool.Schedule([&] { ++ran; });
  }
  EXPECT_EQ(ran, 21);
}

typedef thread::ThreadPool::SchedulingParams Params;
typedef thread::ThreadPool::SchedulingStrategy Strategy;

struct ThreadsTest : testing::Test {
  thread::ThreadPool pool{Env::Default(), "test", 3};
};

TEST_F(ThreadsTest, TakeBlocksOfOneSize) {
  mutex mu;
  std::set<std::pair<int64_t, int64_t>> blocks;
  pool.ParallelFor(10, Params(Strategy::kFixedBlockSize, absl::nullopt, 4), [&](int64_t begin, int64_t end) {
    mutex_lock lock(mu);
    blocks.insert({begin, end});
  });
  EXPECT_EQ(blocks, (std::set<std::pair<int64_t, int64_t>>{{0, 4}, {4, 8}, {8, 10}}));
  EXPECT_EQ(pool.NumShardsUsedByFixedBlockSizeScheduling(10, 4), 3);
  EXPECT_EQ(pool.NumShardsUsedByTransformRangeConcurrently(10, 10), 1);
}

TEST_F(ThreadsTest, CutLoopsByTheirCost) {
  std::atomic<int64_t> sum{0};
  const absl::optional<int64_t> cost = 1000;
  pool.ParallelForWithWorkerId(100, Params(Strategy::kAdaptive, cost, absl::nullopt),
                               [&](int64_t begin, int64_t end, int id) {
                                 EXPECT_TRUE(id >= 0 && id <= 3);
                                 sum += end - begin;
                               });
  EXPECT_EQ(sum, 100);
}

TEST_F(ThreadsTest, AreEigensToo) {
  Eigen::ThreadPoolDevice device(pool.AsEigenThreadPool(), pool.NumThreads());
  EXPECT_EQ(device.numThreads(), 3);
  Eigen::Tensor<float, 1> ones(100000);
  ones.setConstant(1);
  Eigen::Tensor<float, 0> sum;
  sum.device(device) = ones.sum();
  EXPECT_EQ(sum(), 100000);
}

TEST_F(ThreadsTest, CoverLoops) {
  for (const int64 total : {0, 1, 5, 1000}) {
    std::vector<std::atomic<int>> counts(static_cast<size_t>(total));
    Shard(3, &pool, total, 100, [&](int64 begin, int64 end) {
      for (int64 i = begin; i < end; ++i) ++counts[static_cast<size_t>(i)];
    });
    for (const auto& count : counts) EXPECT_EQ(count, 1);
  }
}

TEST_F(ThreadsTest, LoopsInLoopsEnd) {
  std::atomic<int> ran{0};
  pool.ParallelFor(8, 1000, [&](int64 begin, int64 end) {
    for (int64 i = begin; i < end; ++i)
      pool.ParallelFor(8, 1000, [&](int64 b, int64 e) { ran += static_cast<int>(e - b); });
  });
  EXPECT_EQ(ran, 64);
}

TEST_F(ThreadsTest, WhatALoopThrowsComesBack) {
  EXPECT_THROW(pool.ParallelFor(100, 1,
                                [](int64 begin, int64) {
                                  if (begin == 0) throw std::runtime_error("no");
                                }),
               std::runtime_error);
}

TEST_F(ThreadsTest, TransformsBlocks) {
  std::atomic<int64> sum{0}, blocks{0}, longest{0};
  pool.TransformRangeConcurrently(10, 95, [&](int64 begin, int64 end) {
    EXPECT_EQ(begin % 10, 0);
    if (end - begin > longest) longest = end - begin;
    for (int64 i = begin; i < end; ++i) sum += i;
    ++blocks;
  });
  EXPECT_EQ(sum, 94 * 95 / 2);
  EXPECT_EQ(blocks, 10);
  EXPECT_EQ(longest, 10);
  pool.TransformRangeConcurrently(10, 0, [&](int64, int64) { ++blocks; });
  pool.TransformRangeConcurrently(0, 10, [&](int64, int64) { ++blocks; });
  EXPECT_EQ(blocks, 10);
}

TEST(CompatThreads, Notify) {
  Notification happened;
  std::unique_ptr<Thread> thread(Env::Default()->StartThread({}, "notifier", [&] { happened.Notify(); }));
  happened.WaitForNotification();
  EXPECT_TRUE(happened.HasBeenNotified());
  EXPECT_TRUE(WaitForNotificationWithTimeout(&happened, 10));
  EXPECT_GT(Env::Default()->NowMicros(), 1000000000000000u);
  EXPECT_GE(port::NumSchedulableCPUs(), 1);
}

TEST(CompatClock, CountsInUnitsAndSleeps) {
  EXPECT_EQ(EnvTime::kSecondsToNanos, EnvTime::kSecondsToMicros * EnvTime::kMicrosToNanos);
  EXPECT_EQ(EnvTime::kSecondsToMillis * EnvTime::kMillisToMicros, EnvTime::kSecondsToMicros);
  EXPECT_EQ(EnvTime::kMillisToNanos, 1000000u);
  const uint64 nanos = EnvTime::NowNanos();
  EXPECT_LE(nanos / EnvTime::kMicrosToNanos, EnvTime::NowMicros());
  EXPECT_LE(nanos / EnvTime::kSecondsToNanos, EnvTime::NowSeconds());
  Env* const env = Env::Default();
  const uint64 before = env->NowNanos();
  env->SleepForMicroseconds(2000);
  EXPECT_GE(env->NowNanos() - before, 1900000u);
  EXPECT_GE(env->NowSeconds(), before / EnvTime::kSecondsToNanos);
}

TEST(CompatEnv, NamesTheProcessAndItsThreads) {
  Env* const env = Env::Default();
  EXPECT_EQ(env->GetProcessId(), getpid());
  int32 other = 0;
  const int32 own = env->GetCurrentThreadId();
  delete env->StartThread(ThreadOptions(), "other", [&] { other = env->GetCurrentThreadId(); });
  EXPECT_NE(own, other);
  std::string name;
  EXPECT_TRUE(env->GetCurrentThreadName(&name));
  EXPECT_EQ(env->GetExecutablePath().front(), '/');
}

TEST(CompatThreads, StartFromEnv) {
  Notification now, later;
  Env::Default()->SchedClosure([&now] { now.Notify(); });
  Env::Default()->SchedClosureAfter(1000, [&later] { later.Notify(); });
  now.WaitForNotification();
  EXPECT_TRUE(WaitForNotificationWithTimeout(&later, kint64max));
  Notification never;
  EXPECT_FALSE(WaitForNotificationWithTimeout(&never, 1000));
}

TEST(CompatBlockingCounter, WaitsForSomeTime) {
  BlockingCounter counter(1);
  EXPECT_FALSE(counter.WaitFor(std::chrono::milliseconds(1)));
  counter.DecrementCount();
  EXPECT_TRUE(counter.WaitFor(std::chrono::milliseconds(1)));
}

TEST(CompatPort, GivesMemory) {
  void* const aligned = port::AlignedMalloc(100, 256);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(aligned) % 256, 0u);
  port::AlignedFree(aligned);
  char* memory = static_cast<char*>(port::Malloc(1));
  *memory = 'x';
  memory = static_cast<char*>(port::Realloc(memory, 1000));
  port::prefetch<port::PREFETCH_HINT_T0>(memory);
  constexpr port::PrefetchHint kOnce = port::PREFETCH_HINT_NTA;
  port::prefetch<kOnce>(memory);
  EXPECT_EQ(*memory, 'x');
  port::Free(memory);
}

TEST(CompatPort, KnowsTheMachine) {
  EXPECT_TRUE(port::kLittleEndian);
  EXPECT_GE(port::NumTotalCPUs(), port::NumSchedulableCPUs());
  EXPECT_GE(port::MaxParallelism(), 1);
  EXPECT_GE(port::NumHyperthreadsPerCore(), 1);
  EXPECT_FALSE(port::Hostname().empty());
  EXPECT_EQ(CurrentStackTrace(), "");
}

}  // namespace

}  // namespace tensorflow
