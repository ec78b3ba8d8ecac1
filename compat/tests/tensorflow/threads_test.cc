// compat/tests/tensorflow/threads_test.cc: loops that are cut in a certain way, and Eigen on such threads, by TensorFlow's
// names.
// SPDX-License-Identifier: Apache-2.0
#define EIGEN_USE_THREADS
#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "tensorflow/core/lib/core/threadpool.h"
#include "tensorflow/core/platform/env.h"
#include "tensorflow/core/platform/mutex.h"
#include "third_party/eigen3/unsupported/Eigen/CXX11/Tensor"

namespace tensorflow {
namespace {

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

}  // namespace
}  // namespace tensorflow
