// tests/host/device/device_test.cc: a CPU with a limit, one that keeps blocks above it, and the blocks that are kept.
// SPDX-License-Identifier: Apache-2.0
#include "host/device/device.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <thread>
#include <utility>

#include "tests/host/run/run_test.h"

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

TEST(GuardedDevice, NamesWhatIsWrittenNextToABlock) {
  const std::unique_ptr<Device> device = OpenGuardedCpuDevice();
  auto* const block = static_cast<volatile unsigned char*>(device->Allocate(12, kNoStream));
  void* const begin = const_cast<unsigned char*>(block);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(begin) % 64, 0u);
  for (int i = 0; i < 12; ++i) block[i] = 1;
  EXPECT_EQ(device->Damage(begin), "");
  const unsigned char fresh = block[12];
  block[12] = 1;
  EXPECT_EQ(device->Damage(begin), "past the end");
  block[12] = fresh;
  block[-1] = 1;
  EXPECT_EQ(device->Damage(begin), "before the start");
  EXPECT_EQ(device->Damage(nullptr), "");
  EXPECT_DEATH(block[64] = 1, "");
  device->Free(begin, kNoStream);
  EXPECT_EQ(device->Damage(nullptr), "before the start") << "of a freed block";
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

class BlockCacheTest : public ::testing::Test {
 protected:
  void* Take(size_t bytes, size_t slack = 16, const void* wish = nullptr) {
    return cache_.Take(bytes, bytes * slack, wish, kNoStream);
  }
  void* Exactly(size_t bytes) { return Take(bytes, 1); }

  CountingDevice device_;
  BlockCache cache_{device_};
};

TEST_F(BlockCacheTest, TheSameCallAgainAndSmallerOnesTakeTheSameBlock) {
  void* const first = Take(1000);
  cache_.Give(first);
  for (size_t bytes = 1000; bytes > 100; bytes -= 10) {
    EXPECT_EQ(Take(bytes), first);
    EXPECT_EQ(device_.used(), 1000U);
    cache_.Give(first);
  }
}

TEST_F(BlockCacheTest, AMuchLargerBlockIsLeftToThoseThatNeedIt) {
  cache_.Give(Take(1000));
  void* const small = Take(10);
  EXPECT_EQ(device_.used(), 1010U);
  cache_.Give(small);
}

TEST_F(BlockCacheTest, GrowingCallsKeepTheLargestBlockAlone) {
  for (size_t bytes = 1000; bytes < 5000; bytes += 10) {
    cache_.Give(Take(bytes));
    EXPECT_EQ(device_.used(), bytes);
  }
}

TEST_F(BlockCacheTest, KeepsNoMoreThanWasInUseAtTheSameTime) {
  std::vector<void*> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(Exactly(1000));
  for (void* const block : blocks) cache_.Give(block);
  EXPECT_EQ(cache_.idle_bytes(), 8000U);
  for (size_t bytes = 1001; bytes < 1100; ++bytes) {
    cache_.Give(Exactly(bytes));
    EXPECT_LE(device_.used(), 9000U);
  }
}

TEST_F(BlockCacheTest, ForgetsALargeNeedAfterAWhile) {
  cache_.Give(Take(1 << 20));
  for (int i = 0; i < 512; ++i) cache_.Give(Take(1000));
  EXPECT_EQ(device_.used(), 1000U);
}

TEST_F(BlockCacheTest, GivesWhatIsWished) {
  void* const first = Exactly(1000);
  void* const second = Exactly(1000);
  cache_.Give(first);
  cache_.Give(second);
  EXPECT_EQ(Take(900, 16, second), second);
  EXPECT_EQ(Take(900, 16, second), first) << "it is in use";
  cache_.Give(first);
  cache_.Give(second);
  cache_.Give(Take(2000, 16, second));
  EXPECT_EQ(device_.used(), 2000U) << "what is wished is too small";
}

TEST_F(BlockCacheTest, AFailureLeavesTheBoundAsItWas) {
  device_.FailIn(0);
  EXPECT_EQ(Take(1 << 30), nullptr);
  cache_.Give(Exactly(1000));
  cache_.Give(Exactly(2000));
  EXPECT_EQ(device_.used(), 2000U);
}

TEST_F(BlockCacheTest, ADisownedBlockEndsWithFree) {
  void* const block = Take(1000);
  cache_.Disown(block);
  cache_.Trim();
  EXPECT_EQ(device_.used(), 1000U);
  device_.Free(block, kNoStream);
  cache_.Give(Take(10));
  EXPECT_EQ(device_.used(), 10U) << "the bound does not count it";
}

TEST_F(BlockCacheTest, EightThreadsNeverShareABlock) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([this, thread] {
      for (size_t i = 0; i < 2000; ++i) {
        const size_t bytes = 1 + (i * 37 + static_cast<size_t>(thread) * 101) % 4096;
        void* const block = Take(bytes);
        std::memset(block, thread, bytes);
        const auto* const data = static_cast<const unsigned char*>(block);
        for (size_t at = 0; at < bytes; at += 64) ASSERT_EQ(data[at], thread);
        cache_.Give(block);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(device_.used(), size_t{2 * 8 * 4096});
}

TEST(CpuDevice, KeepsTheLargeBlockThatWasFreedLast) {
  constexpr size_t kMiB = size_t{1} << 20;
  const std::unique_ptr<Device> cpu = OpenCpuDevice();
  const auto allocate = [&](size_t bytes) {
    void* const memory = cpu->Allocate(bytes, kNoStream);
    std::memset(memory, 1, bytes);
    return memory;
  };
  void* const first = allocate(64 * kMiB);
  cpu->Free(first, kNoStream);
  EXPECT_EQ(allocate(60 * kMiB), first);
  void* const second = allocate(64 * kMiB);
  EXPECT_NE(second, first);
  cpu->Free(first, kNoStream);
  cpu->Free(second, kNoStream);  // takes the place of the first
  void* const third = allocate(64 * kMiB);
  EXPECT_EQ(third, second);
  EXPECT_FALSE(cpu->Trim());
  cpu->Free(third, kNoStream);
  EXPECT_TRUE(cpu->Trim());
  cpu->Free(allocate(kMiB / 16), kNoStream);
  EXPECT_FALSE(cpu->Trim()) << "a small block is the C library's";
}

TEST(CpuDevice, KeepsSomeBlocks) {
  constexpr size_t kMiB = size_t{1} << 20;
  const std::unique_ptr<Device> cpu = OpenCpuDevice();
  std::set<void*> blocks;
  for (int i = 0; i < 4; ++i) blocks.insert(cpu->Allocate(kMiB, kNoStream));
  for (void* const block : blocks) cpu->Free(block, kNoStream);
  std::set<void*> again;
  for (int i = 0; i < 4; ++i) again.insert(cpu->Allocate(kMiB - 1000 * i, kNoStream));
  EXPECT_EQ(again, blocks);
  EXPECT_FALSE(cpu->Trim());
  void* const other = cpu->Allocate(kMiB, kNoStream);
  for (void* const block : blocks) cpu->Free(block, kNoStream);
  cpu->Free(other, kNoStream);  // takes the place of one of them
  void* const larger = cpu->Allocate(2 * kMiB, kNoStream);
  EXPECT_EQ(blocks.count(larger), 0U);
  cpu->Free(larger, kNoStream);
  EXPECT_TRUE(cpu->Trim());
}

}  // namespace

}  // namespace opsrun::host
