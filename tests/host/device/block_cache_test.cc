// SPDX-License-Identifier: Apache-2.0
#include "host/device/block_cache.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "tests/host/run/counting_device.h"

namespace opsrun::host {
namespace {

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

}  // namespace
}  // namespace opsrun::host
