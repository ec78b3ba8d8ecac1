// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "host/threads/thread_pool.h"
#include "tests/host/threads/jobs.h"

namespace opsrun::host {
namespace {

constexpr int64_t kDear = 1'000'000;  // ns an index: every index is worth a block

// How often each index was covered.
std::vector<int> Cover(int threads, int64_t n, int64_t cost) {
  ThreadPool pool(threads);
  std::vector<std::atomic<int>> counts(static_cast<size_t>(n));
  Loop(pool, n, cost, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) ++counts[static_cast<size_t>(i)];
    return 0;
  });
  return {counts.begin(), counts.end()};
}

TEST(ParallelFor, CoversEachIndexOnce) {
  for (int threads : {1, 2, 5}) {
    for (int64_t n : {1, 2, 7, 19, 1000})
      EXPECT_EQ(Cover(threads, n, kDear), std::vector<int>(static_cast<size_t>(n), 1)) << threads << " " << n;
  }
  for (const int64_t cost : {int64_t{1}, int64_t{0}, int64_t{-5}, std::numeric_limits<int64_t>::min()})
    EXPECT_EQ(Cover(2, 100, cost), std::vector<int>(100, 1)) << cost;
  ThreadPool pool(2);
  for (const int64_t none : {0, -5}) EXPECT_EQ(Loop(pool, none, kDear, [](int64_t, int64_t) { return 1; }), 0);
}

// A block takes 20 microseconds or more, and there are at most four for each thread.
TEST(ParallelFor, ABlockIsWorthAThread) {
  const struct {
    int64_t n, cost;
    int blocks;
  } rows[] = {{1'000, 1, 1},    {39'999, 1, 1},         {40'000, 1, 2},   {3, 15'000, 1},   {4, 15'000, 2},
              {5, 15'000, 2},   {2, 20'000, 2},         {2, 19'999, 1},   {11, 20'000, 11}, {12, 20'000, 12},
              {13, 20'000, 12}, {1'000, 1'000'000, 12}, {1, 1'000'000, 1}};
  ThreadPool pool(3);
  for (const auto& count : rows) {
    std::atomic<int> blocks{0};
    Loop(pool, count.n, count.cost, [&](int64_t, int64_t) {
      ++blocks;
      return 0;
    });
    EXPECT_EQ(blocks, count.blocks) << count.n << " of " << count.cost;
  }
}

TEST(ParallelFor, LastIndexDoesNotOverflow) {
  ThreadPool pool(3);
  std::mutex mutex;
  int64_t last = 0, count = 0;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  Loop(pool, kMost, kMost, [&](int64_t begin, int64_t end) {
    const std::lock_guard<std::mutex> lock(mutex);
    last = std::max(last, end);
    count += end - begin;
    return 0;
  });
  EXPECT_EQ(last, kMost);
  EXPECT_EQ(count, kMost);
}

TEST(ParallelFor, FirstFailureIsTheAnswerAndNoBlockFollows) {
  ThreadPool pool(2);
  std::atomic<int> blocks{0};
  const int32_t code = Loop(pool, 1000, kDear, [&](int64_t, int64_t) {
    ++blocks;
    return 7;
  });
  EXPECT_EQ(code, 7);
  EXPECT_LE(blocks, 2);
}

// The worker fails first; the caller fails once the worker is idle again.
TEST(ParallelFor, LaterFailuresDoNotCount) {
  ThreadPool pool(2);
  std::atomic<bool> worker_came{false};
  const int32_t code = Loop(pool, 2, kDear, [&](int64_t, int64_t) {
    if (pool.CurrentThread() >= 0) {
      worker_came = true;
      return 7;
    }
    while (!worker_came) std::this_thread::yield();
    while (!pool.TrySchedule([](void*) {}, nullptr)) std::this_thread::yield();
    return 8;
  });
  EXPECT_EQ(code, 7);
}

TEST(ParallelFor, InsideABlockALoopRunsInline) {
  ThreadPool pool(4);
  std::atomic<int> outer{0}, inner{0};
  Loop(pool, 8, kDear, [&](int64_t, int64_t) {
    ++outer;
    return Loop(pool, 100, kDear, [&](int64_t begin, int64_t end) {
      ++inner;
      EXPECT_EQ(end - begin, 100);
      return 0;
    });
  });
  EXPECT_EQ(inner, outer);
}

}  // namespace
}  // namespace opsrun::host
