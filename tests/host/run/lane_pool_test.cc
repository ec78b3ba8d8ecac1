// tests/host/run/lane_pool_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/run/lane_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/host/plan/in_process_ops.h"
#include "tests/host/run/int_kernels.h"
#include "tests/host/run/one_host.h"

namespace opsrun::host {
namespace {

class LanePoolTest : public ::testing::Test {
 protected:
  LanePoolTest() {
    ops_.Add({.name = "AddOne", .inputs = {"x: int32"}, .outputs = {"y: int32"}}, SameShape, AddOne);
    plan_ = ops_.Make("feeds:\n  d: {dtype: int32, shape: [1]}\nnodes:\n  a: {op: AddOne, in: d}\noutputs: [a]\n",
                      HostTable());
  }
  std::unique_ptr<LanePool> Pool(size_t lanes) {
    return *LanePool::Create(*plan_, {device_.get(), HostTable()}, lanes);
  }

  std::unique_ptr<Device> device_ = OpenCpuDevice();
  InProcessOps ops_;
  const Plan* plan_ = nullptr;
};

int32_t RunWith(Lane& lane, int32_t value) {
  Result<Tensor> fed = Tensor::Create(DType::kInt32, {1});
  static_cast<int32_t*>(fed->mutable_data())[0] = value;
  EXPECT_TRUE(lane.SetFeed("d", *fed).ok());
  EXPECT_FALSE(lane.Run().has_value());
  return static_cast<const int32_t*>(lane.Output(0)->data())[0];
}

TEST_F(LanePoolTest, LendsTheFirstLaneFirst) {
  const std::unique_ptr<LanePool> pool = Pool(2);
  const LanePool::Lease first = pool->Borrow(), second = pool->Borrow();
  EXPECT_EQ(&*first, pool->lanes()[0].get());
  EXPECT_EQ(&*second, pool->lanes()[1].get());
}

TEST_F(LanePoolTest, SixteenThreadsShareThreeLanes) {
  const std::unique_ptr<LanePool> pool = Pool(3);
  std::atomic<int> inside{0}, most{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 16; ++caller) {
    callers.emplace_back([&, caller] {
      for (int i = 0; i < 100; ++i) {
        const LanePool::Lease lane = pool->Borrow();
        most = std::max(most.load(), ++inside);
        EXPECT_EQ(RunWith(*lane, 1000 * caller + i), 1000 * caller + i + 1);
        --inside;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_LE(most, 3);
}

}  // namespace
}  // namespace opsrun::host
