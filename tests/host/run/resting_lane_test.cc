// tests/host/run/resting_lane_test.cc: lanes between runs: they give large memory up, and a pool lends them.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/host/run/device_kernels.h"
#include "tests/host/run/run_test.h"

namespace opsrun::host {
namespace {

constexpr size_t kRow = 100'000;  // elements of the feed l
constexpr size_t kBytes = kRow * sizeof(int32_t);
constexpr size_t kFrames = 16'384;  // more than what a lane of a few steps has of frames and views

class RestingLaneTest : public ::testing::Test {
 protected:
  RestingLaneTest() {
    reference::AddTo(ops_);
    reference::fails_in = -1;
  }
  ~RestingLaneTest() override {
    for (auto& lane : lanes_) lane.reset();
    ops_.Forget();
  }

  void Make(const std::string& nodes, const std::string& output) {
    plan_ = ops_.Make(
        "feeds:\n  l: {fill: 3, shape: [100000], dtype: int32}\nnodes:\n" + nodes + "outputs: [" + output + "]\n",
        host_.get());
    ASSERT_NE(plan_, nullptr) << ops_.Found();
    for (auto& lane : lanes_) {
      lane = *Lane::Create(*plan_, {device_.get(), host_.get()});
      lane->Rest(/*arena=*/true);
    }
  }
  // Runs lane i, which rests before and after; the first element of the output, or -1 if they differ.
  int32_t Run(int i) {
    EXPECT_TRUE(lanes_[i]->Wake().ok());
    EXPECT_FALSE(lanes_[i]->Run().has_value());
    const Row row = ValuesOf(lanes_[i]->Output(0));
    lanes_[i]->Rest(/*arena=*/true);
    return row == Row(kRow, row.at(0)) ? row[0] : -1;
  }
  size_t used() { return counting_->used(); }

  CountingDevice* const counting_ = new CountingDevice;
  const std::shared_ptr<Device> device_ = KeepBlocks(std::unique_ptr<Device>(counting_), false, {});
  const std::shared_ptr<const opsrun_host> host_ = MakeHostTable(device_);
  InProcessOps ops_;
  const Plan* plan_ = nullptr;
  std::unique_ptr<Lane> lanes_[3];
};

constexpr char kThree[] = "  a: {op: Twice, in: l}\n  b: {op: Twice, in: a}\n  c: {op: Twice, in: b}\n";  // 7, 15, 31

TEST_F(RestingLaneTest, LanesThatTakeTurnsShareOneArena) {
  Make(kThree, "c");
  const size_t arena = plan_->devices[0].arena_bytes;
  ASSERT_GE(arena, kBytes);
  EXPECT_LE(used(), arena + 3 * kFrames);
  for (int run = 0; run < 9; ++run) {
    EXPECT_EQ(Run(run % 3), 31);
    EXPECT_LE(used(), arena + 3 * kFrames);
  }
  device_->Trim();
  EXPECT_LE(used(), 3 * kFrames);
  EXPECT_LE(lanes_[0]->MemoryBytes(), kFrames);
}

TEST_F(RestingLaneTest, RunsInAnotherArenaToo) {
  Make(kThree, "c");
  EXPECT_EQ(Run(0), 31);
  void* const taken = device_->TakeBlock(kBytes, 16 * kBytes, nullptr, kNoStream);
  EXPECT_EQ(Run(0), 31);
  EXPECT_TRUE(lanes_[1]->Wake().ok());  // has the arena of lane 0 now
  EXPECT_EQ(Run(0), 31);
  EXPECT_FALSE(lanes_[1]->Run().has_value());
  EXPECT_EQ(static_cast<const int32_t*>(lanes_[1]->OutputView(0).data)[kRow - 1], 31);
  device_->GiveBlock(taken);
}

TEST_F(RestingLaneTest, MemoryThatIsBoundStaysTheCallers) {
  Make(kThree, "c");
  Row mine(kRow + 16);
  void* const aligned = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(mine.data()) + 63) / 64 * 64);
  for (int run = 0; run < 3; ++run) {
    ASSERT_TRUE(lanes_[0]->Wake().ok());
    EXPECT_TRUE(lanes_[0]->BindOutput(0, aligned));
    EXPECT_FALSE(lanes_[0]->Run().has_value());
    EXPECT_EQ(static_cast<const int32_t*>(aligned)[kRow - 1], 31);
    lanes_[0]->Rest(/*arena=*/true);
    std::memset(aligned, 0, kBytes);
  }
  ASSERT_TRUE(lanes_[0]->Wake().ok());
  EXPECT_TRUE(lanes_[0]->BindOutput(0, nullptr));
  EXPECT_FALSE(lanes_[0]->Run().has_value());
  EXPECT_EQ(static_cast<const int32_t*>(lanes_[0]->OutputView(0).data)[kRow - 1], 31);
}

constexpr char kThreeLate[] = "  a: {op: LateTwice, in: l}\n  b: {op: LateTwice, in: a}\n  c: {op: LateTwice, in: b}\n";

TEST_F(RestingLaneTest, LargeOutputsOfLateShapeAreSharedLikewise) {
  Make(kThreeLate, "c");
  EXPECT_EQ(Run(0), 31);
  const size_t one = used();
  for (int run = 0; run < 9; ++run) {
    EXPECT_EQ(Run(run % 3), 31);
    EXPECT_LE(used(), one);
  }
  EXPECT_LE(lanes_[0]->MemoryBytes(), kFrames);
  device_->Trim();
  EXPECT_LE(used(), 3 * kFrames);
}

TEST_F(RestingLaneTest, AResultThatSomebodyHasStaysWhole) {
  Make(kThreeLate, "c");
  ASSERT_TRUE(lanes_[0]->Wake().ok());
  EXPECT_FALSE(lanes_[0]->Run().has_value());
  {
    const SharedMemory mine = lanes_[0]->ShareOutput(0);
    lanes_[0]->Rest(/*arena=*/true);
    for (int run = 0; run < 9; ++run) EXPECT_EQ(Run(run % 3), 31);
    device_->Trim();
    const Row expected(kRow, 31);
    EXPECT_EQ(std::memcmp(mine.data(), expected.data(), kBytes), 0);
  }
  EXPECT_LE(used(), 3 * kFrames) << "the memory of a result is not kept";
}

TEST_F(RestingLaneTest, WithoutMemoryALaneDoesNotWake) {
  Make(kThree, "c");
  EXPECT_EQ(Run(0), 31);
  counting_->FailIn(0);
  EXPECT_EQ(Run(0), 31) << "which has the idle block";
  device_->Trim();
  EXPECT_EQ(lanes_[0]->Wake().code(), OPSRUN_RESOURCE_EXHAUSTED);
  lanes_[0].reset();
  EXPECT_EQ(Run(1), 31);
}

// The same on a device, which gives other memory each time and spoils that which it gets back.
class RestingDeviceLaneTest : public RestingLaneTest {
 protected:
  RestingDeviceLaneTest() {
    AddFakeGpus(devices_, gpus_, Schedule::kLazy);
    ops_.devices = &devices_;
    ops_.device = "gpu";
    reference::AddDeviceKernels(ops_, [](const std::string&) { return true; });
  }
  ~RestingDeviceLaneTest() override {
    for (auto& lane : lanes_) lane.reset();
    ops_.Forget();
  }

  Devices devices_{OpenCpuDevice()};
  FakeDevices gpus_;
};

TEST_F(RestingDeviceLaneTest, CapturedWorkIsCapturedAgainWhereMemoryIs) {
  Make(kThree, "c");
  for (int run = 0; run < 4; ++run) EXPECT_EQ(Run(0), 31);
  EXPECT_GT(gpus_.at(0)->launches(), 0);
  Make(kThreeLate, "c");
  for (int run = 0; run < 4; ++run) EXPECT_EQ(Run(run % 2), 31);
}

class LanePoolTest : public RunTest {
 protected:
  LanePoolTest() { Make("  a: {op: AddOne, in: d}\n", "a"); }
  std::unique_ptr<LanePool> Pool(size_t lanes) {
    return *LanePool::Create(*plan_, {device_.get(), host_.get()}, lanes);
  }
};

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
        Feed(*lane, {1000 * caller + i});
        EXPECT_FALSE(lane->Run().has_value());
        EXPECT_EQ(ValuesOf(lane->Output(0)), Row{1000 * caller + i + 1});
        --inside;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_LE(most, 3);
}

}  // namespace
}  // namespace opsrun::host
