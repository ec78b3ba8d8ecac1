// tests/host/plan/memory_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/memory.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

TEST(ArenaPlanner, TakesTheSmallestFreeBlockThatFits) {
  ArenaPlanner arena(nullptr);
  const size_t large = arena.Take(256, 0), wall = arena.Take(64, 0), small = arena.Take(128, 0);
  arena.Take(64, 0);
  arena.Give(large, 256, {});
  arena.Give(small, 128, {});
  EXPECT_EQ(arena.Take(128, 0), small);
  EXPECT_EQ(arena.Take(192, 0), large);
  EXPECT_EQ(arena.Take(64, 0), large + 192);
  EXPECT_NE(wall, large);
  EXPECT_EQ(arena.bytes(), 512u);
}

TEST(ArenaPlanner, JoinsNeighbours) {
  ArenaPlanner arena(nullptr);
  const size_t a = arena.Take(64, 0), b = arena.Take(64, 0), c = arena.Take(64, 0);
  arena.Give(a, 64, {});
  arena.Give(c, 64, {});
  arena.Give(b, 64, {});
  EXPECT_EQ(arena.Take(192, 0), a);
  EXPECT_EQ(arena.bytes(), 192u);
}

TEST(ArenaPlanner, GrowsTheBlockAtTheEnd) {
  ArenaPlanner arena(nullptr);
  arena.Give(arena.Take(64, 0), 64, {});
  EXPECT_EQ(arena.Take(128, 0), 0u);
  EXPECT_EQ(arena.bytes(), 128u);
}

// 0 and 1 side by side, 2 after 0.
TEST(ArenaPlanner, OnlyATaskThatMayTakeTheBlockAtTheEndGrowsIt) {
  const TaskOrder order({{}, {}, {0}});
  ArenaPlanner arena(&order);
  arena.Give(arena.Take(64, 0), 64, {0});
  EXPECT_EQ(arena.Take(128, 1), 64u);
  arena.Give(arena.Take(64, 0), 64, {0});
  EXPECT_EQ(arena.Take(128, 2), 192u);
  EXPECT_EQ(arena.bytes(), 320u);
}

// 0 and 1 side by side, 2 after both.
TEST(ArenaPlanner, ATaskWaitsForTheUsersOfItsBlock) {
  const TaskOrder order({{}, {}, {0, 1}});
  ArenaPlanner arena(&order);
  const size_t of_0 = arena.Take(64, 0);
  arena.Give(of_0, 64, {0});
  const size_t of_1 = arena.Take(64, 1);
  EXPECT_NE(of_1, of_0);
  EXPECT_EQ(arena.Take(64, 2), of_0);
}

TEST(ArenaPlanner, ATaskMayTakeItsOwnBlockAgain) {
  const TaskOrder order({{}, {}});
  ArenaPlanner arena(&order);
  const size_t block = arena.Take(64, 1);
  arena.Give(block, 64, {1});
  EXPECT_EQ(arena.Take(64, 1), block);
}

TEST(ArenaPlanner, NeighboursOfDifferentUsersStayApart) {
  const TaskOrder order({{}, {}, {0}});
  ArenaPlanner arena(&order);
  const size_t of_0 = arena.Take(64, 0), of_1 = arena.Take(64, 1);
  arena.Give(of_0, 64, {0});
  arena.Give(of_1, 64, {1});
  EXPECT_EQ(arena.Take(64, 2), of_0);
  EXPECT_EQ(arena.Take(64, 2), 128u);
}

TEST(ArenaPlanner, NeighboursOfDifferentUsersStayApartInAnyOrder) {
  const TaskOrder order({{}, {}, {0}});
  ArenaPlanner arena(&order);
  const size_t of_0 = arena.Take(64, 0), of_1 = arena.Take(64, 1);
  arena.Give(of_1, 64, {1});
  arena.Give(of_0, 64, {0});
  EXPECT_EQ(arena.Take(128, 2), 128u);
  EXPECT_EQ(arena.Take(64, 2), of_0);
}

}  // namespace

}  // namespace opsrun::host
