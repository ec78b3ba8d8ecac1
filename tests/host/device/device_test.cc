// tests/host/device/device_test.cc: a CPU with a limit, and one that keeps blocks above it.
// SPDX-License-Identifier: Apache-2.0
#include "host/device/device.h"

#include <gtest/gtest.h>

#include <utility>

namespace opsrun::host {
namespace {

TEST(LimitedDevice, GivesOutNoMoreThanItsLimitAtATime) {
  const std::unique_ptr<Device> device = LimitMemory(OpenCpuDevice(), 1000);
  void* first = device->Allocate(600, kNoStream);
  ASSERT_NE(first, nullptr);
  for (const size_t more : {size_t{401}, SIZE_MAX, SIZE_MAX - 599})  // the sum does not overflow
    EXPECT_EQ(device->Allocate(more, kNoStream), nullptr) << more;
  void* const second = device->Allocate(400, kNoStream);
  EXPECT_NE(second, nullptr);
  device->Free(first, kNoStream);
  first = device->Allocate(600, kNoStream);
  EXPECT_NE(first, nullptr);
  for (void* const block : {first, second, static_cast<void*>(nullptr)}) device->Free(block, kNoStream);
}

// A device with a limit or with idle blocks is the CPU in all else.
TEST(LimitedDevice, IsTheDeviceOtherwise) {
  for (const bool keeps_blocks : {false, true}) {
    std::unique_ptr<Device> device = LimitMemory(OpenCpuDevice(), 1000);
    if (keeps_blocks) device = KeepBlocks(std::move(device), true, {});
    EXPECT_EQ(device->name(), "cpu");
    EXPECT_EQ(device->kind(), "CPU");
    EXPECT_EQ(device->id().type, OPSRUN_DEVICE_CPU);
    int from = 7, to = 0;
    EXPECT_TRUE(device->Copy(Device::Direction::kIn, &to, &from, sizeof(int), kNoStream).ok());
    EXPECT_EQ(to, 7);
  }
}

// Has a block of the device until it is asked for it.
class Keeper final : public MemoryKeeper {
 public:
  bool GiveUpMemory() override {
    ++asked;
    if (device == nullptr) return false;
    std::exchange(device, nullptr)->Free(memory, kNoStream);
    return true;
  }

  Device* device = nullptr;
  void* memory = nullptr;
  int asked = 0;
};

class BlockKeepingTest : public ::testing::Test {
 protected:
  void* TakeBlock(size_t bytes) { return device_->TakeBlock(bytes, 16 * bytes, nullptr, kNoStream); }
  void KeepIdle(size_t bytes) { device_->GiveBlock(TakeBlock(bytes)); }

  const std::shared_ptr<Keeper> keeper_ = std::make_shared<Keeper>();
  const std::unique_ptr<Device> device_ = KeepBlocks(LimitMemory(OpenCpuDevice(), 1000), true, keeper_);
};

TEST_F(BlockKeepingTest, AnIdleBlockMakesWayForMemoryAndBytesOfStrings) {
  KeepIdle(600);
  void* const memory = device_->Allocate(600, kNoStream);
  EXPECT_NE(memory, nullptr);
  EXPECT_EQ(device_->Allocate(401, kNoStream), nullptr);
  device_->Free(memory, kNoStream);
  KeepIdle(600);
  EXPECT_TRUE(device_->Reserve(1000));
  EXPECT_FALSE(device_->Reserve(1));
  device_->GiveBack(1000);
}

TEST_F(BlockKeepingTest, AnIdleBlockMakesWayForALargerOne) {
  void* const small = TakeBlock(100);
  KeepIdle(800);
  void* const other = TakeBlock(300);  // another 100 would not be too much for the bound, but for the limit
  EXPECT_NE(other, nullptr);
  device_->GiveBlock(small);
  device_->GiveBlock(other);
}

TEST_F(BlockKeepingTest, TheKeeperIsAskedLast) {
  for (const bool trim : {false, true}) {
    KeepIdle(600);
    if (trim) device_->Trim();
    device_->Free(device_->Allocate(1000, kNoStream), kNoStream);
    EXPECT_EQ(keeper_->asked, 0) << trim;
  }
  keeper_->device = device_.get();
  keeper_->memory = device_->Allocate(600, kNoStream);
  void* const block = TakeBlock(700);
  EXPECT_NE(block, nullptr);
  EXPECT_EQ(keeper_->asked, 1);
  device_->GiveBlock(block);
}

TEST_F(BlockKeepingTest, UnderALimitABlockIsHardlyLargerThanWhatIsAsked) {
  KeepIdle(600);
  void* const half = TakeBlock(300);
  void* const rest = device_->Allocate(700, kNoStream);
  EXPECT_NE(rest, nullptr);
  device_->GiveBlock(half);
  device_->Free(rest, kNoStream);
}

}  // namespace
}  // namespace opsrun::host
