// tests/host/plan/arena_layout_test.cc: blocks that may exist at the same time are apart, whatever the order of the
// tasks.
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/arena_layout.h"

#include <gtest/gtest.h>

#include <random>

namespace opsrun::host {
namespace {

// A block of a random plan, which has one step a task.
struct Block {
  size_t bytes = 0;
  ArenaPlanner::Users users;  // steps and tasks
};

class ArenaLayoutTest : public ::testing::TestWithParam<unsigned> {
 protected:
  int Number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  void SetUp() override {
    const int tasks = Number(1, 60);
    waits_.resize(static_cast<size_t>(tasks));
    for (int t = 0; t < tasks; ++t) {
      tasks_.push_back({});
      tasks_.back().first = static_cast<uint32_t>(t);
      tasks_.back().count = 1;
      if (t > 0 && Number(0, 3) > 0)
        waits_[static_cast<size_t>(t)] = {static_cast<uint32_t>(Number(std::max(0, t - 6), t - 1))};
    }
    for (int i = 0; i < 2 * tasks; ++i) {
      Block block{static_cast<size_t>(64 * Number(0, 40)), {static_cast<uint32_t>(Number(0, tasks - 1))}};
      while (static_cast<int>(block.users.back()) + 1 < tasks && Number(0, 2) > 0)
        block.users.push_back(static_cast<uint32_t>(Number(static_cast<int>(block.users.back()) + 1, tasks - 1)));
      layout_.Begin(block.bytes, block.users[0], block.users[0], i % 16 == 15);
      if (i % 16 != 14) layout_.End(static_cast<uint32_t>(i), block.users.back(), block.users);
      blocks_.push_back(std::move(block));
    }
  }

  // True if all users of `earlier` have ended before the first one of `later` begins.
  bool IsBefore(const TaskOrder* order, size_t earlier, size_t later) const {
    if (earlier % 16 == 14 || later % 16 == 15) return false;  // never free; fresh
    const uint32_t begin = blocks_[later].users[0];
    return std::ranges::all_of(blocks_[earlier].users, [&](uint32_t user) {
      return order == nullptr ? user < begin : order->EndsBefore(user, begin);
    });
  }

  void ExpectPromisesKept(const TaskOrder* order) {
    for (uint32_t a = 0; a < blocks_.size(); ++a) {
      EXPECT_LE(layout_.OffsetOf(a) + blocks_[a].bytes, layout_.bytes());
      for (uint32_t b = 0; b < a; ++b) {
        const bool apart = blocks_[a].bytes == 0 || blocks_[b].bytes == 0 ||
                           layout_.OffsetOf(a) + blocks_[a].bytes <= layout_.OffsetOf(b) ||
                           layout_.OffsetOf(b) + blocks_[b].bytes <= layout_.OffsetOf(a);
        EXPECT_TRUE(apart || IsBefore(order, a, b) || IsBefore(order, b, a)) << a << " and " << b;
      }
    }
  }

  std::mt19937 random_{GetParam()};
  std::vector<Task> tasks_;
  std::vector<std::vector<uint32_t>> waits_;
  std::vector<Block> blocks_;
  ArenaLayout layout_;
};

TEST_P(ArenaLayoutTest, KeepsBlocksApart) {
  const TaskOrder order(waits_);
  ASSERT_TRUE(layout_.LowerBound());
  if (layout_.Improve(~size_t{0} >> 2, nullptr)) {
    EXPECT_GE(layout_.bytes(), *layout_.LowerBound());
    ExpectPromisesKept(nullptr);
  }
  ASSERT_TRUE(layout_.Improve(~size_t{0} >> 2, &order));
  ExpectPromisesKept(&order);
  ASSERT_TRUE(layout_.Improve(~size_t{0} >> 2, &order, static_cast<uint32_t>(Number(1, 5)), tasks_));
  for (const auto& [task, earlier] : layout_.NewWaits()) {
    EXPECT_LT(earlier, task);
    EXPECT_FALSE(order.EndsBefore(earlier, task));
    waits_[task].push_back(earlier);
  }
  const TaskOrder with_waits(waits_);
  ExpectPromisesKept(&with_waits);
}

INSTANTIATE_TEST_SUITE_P(RandomTasks, ArenaLayoutTest, ::testing::Range(0u, 200u));

TEST(ArenaLayout, HasALimit) {
  ArenaLayout layout;
  for (uint32_t i = 0; i <= ArenaLayout::kMostBlocks; ++i) layout.End(layout.Begin(64, i, 0), i, {});
  EXPECT_FALSE(layout.LowerBound());
}

// Each of 320 steps makes a block that some of the next 64 read: what was put too high at first is put earlier.
TEST(ArenaLayout, NeedsLittleMoreThanTheLeast) {
  for (unsigned seed = 0; seed < 11; ++seed) {
    std::mt19937 random(seed);
    ArenaLayout layout;
    for (uint32_t step = 0; step < 320; ++step) {
      const size_t bytes = 64 * (1 + random() % 4096);
      layout.End(layout.Begin(bytes, step, 0), step + 1 + random() % 64, {});
    }
    ASSERT_TRUE(layout.Improve(~size_t{0} >> 2, nullptr));
    const double least = static_cast<double>(*layout.LowerBound());
    EXPECT_LT(static_cast<double>(layout.bytes()), 1.05 * least) << seed;
  }
}

// One thread: the best fit takes 96 for 64, then 128 does not fit beside it.
TEST(ArenaLayout, NeedsTheLeastWhereTheBestFitDoesNot) {
  ArenaLayout layout;
  const uint32_t a = layout.Begin(64, 0, 0), b = layout.Begin(128, 0, 0), c = layout.Begin(64, 1, 0);
  const uint32_t d = layout.Begin(192, 2, 0);
  layout.End(a, 0, {});
  layout.End(b, 1, {});
  layout.End(c, 2, {});
  layout.End(d, 3, {});
  EXPECT_EQ(layout.LowerBound(), 256u);
  ASSERT_TRUE(layout.Improve(384, nullptr));
  EXPECT_EQ(layout.bytes(), 256u);
  EXPECT_FALSE(layout.Improve(256, nullptr)) << "it cannot need less";
  EXPECT_EQ(layout.bytes(), 256u);
  EXPECT_FALSE(layout.Improve(128, nullptr));
  EXPECT_EQ(layout.bytes(), 256u);
}

}  // namespace
}  // namespace opsrun::host
