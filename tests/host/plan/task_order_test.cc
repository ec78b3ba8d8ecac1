// tests/host/plan/task_order_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/task_order.h"

#include <gtest/gtest.h>

#include <random>

namespace opsrun::host {
namespace {

using Waits = std::vector<std::vector<uint32_t>>;

// 0 -> 1, 2 -> 3 -> 4, and so on from 4: a row of diamonds.
Waits Diamonds(uint32_t count) {
  Waits waits{{}};
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t top = 3 * i;
    waits.push_back({top});
    waits.push_back({top});
    waits.push_back({top + 1, top + 2});
  }
  return waits;
}

TEST(TaskOrder, KnowsWhatLeadsWhere) {
  const TaskOrder order(Diamonds(2));
  EXPECT_TRUE(order.EndsBefore(0, 1));
  EXPECT_TRUE(order.EndsBefore(1, 3));
  EXPECT_TRUE(order.EndsBefore(1, 5));
  EXPECT_FALSE(order.EndsBefore(1, 2));
  EXPECT_FALSE(order.EndsBefore(2, 1));
  EXPECT_FALSE(order.EndsBefore(3, 1));
  EXPECT_FALSE(order.EndsBefore(3, 3));
}

TEST(TaskOrder, NoTaskEndsBeforeItself) {
  for (const uint32_t count : {2u, 5'000u}) {
    const TaskOrder order(Diamonds(count));
    for (const uint32_t task : {0u, 1u, 2u, 3u, 3 * count}) EXPECT_FALSE(order.EndsBefore(task, task)) << count;
  }
}

// With as many tasks as a word of the table has bits, one fewer and one more, and with several words.
TEST(TaskOrder, KnowsAllThatRandomEdgesSay) {
  std::mt19937 random(14);
  for (const uint32_t n : {63u, 64u, 65u, 66u, 130u, 200u}) {
    Waits waits(n);
    for (uint32_t t = 1; t < n; ++t) {
      for (uint32_t edges = random() % 3; edges > 0; --edges) waits[t].push_back(random() % t);
    }
    const TaskOrder order(waits);
    for (uint32_t last = 0; last < n; ++last) {
      std::vector<bool> leads(n, false);
      leads[last] = true;
      for (uint32_t t = last + 1; t-- > 0;) {
        if (!leads[t]) continue;
        for (const uint32_t earlier : waits[t]) leads[earlier] = true;
      }
      for (uint32_t t = 0; t < n; ++t) {
        ASSERT_EQ(order.EndsBefore(t, last), t != last && leads[t]) << t << " before " << last << " of " << n;
      }
    }
  }
}

TEST(TaskOrder, TasksWithoutEdgesAreInNoOrder) {
  const TaskOrder order(Waits(70));
  EXPECT_FALSE(order.EndsBefore(0, 69));
  EXPECT_FALSE(order.EndsBefore(69, 0));
}

TEST(TaskOrder, BeyondTheTableOnlyNarrowsTell) {
  const uint32_t count = TaskOrder::kExact;
  const TaskOrder order(Diamonds(count));
  for (uint32_t i = 0; i < count; i += 97) {
    const uint32_t top = 3 * i;
    EXPECT_TRUE(order.EndsBefore(top, top + 1));
    EXPECT_TRUE(order.EndsBefore(top + 1, top + 3));
    EXPECT_TRUE(order.EndsBefore(top + 2, 3 * count));
    EXPECT_FALSE(order.EndsBefore(top + 1, top + 2));
    EXPECT_FALSE(order.EndsBefore(top + 3, top + 1));
  }
}

// Two chains side by side, then one task for both: nothing is narrow before it.
TEST(TaskOrder, BeyondTheTableNothingIsSureWithoutNarrows) {
  const auto n = static_cast<uint32_t>(TaskOrder::kExact + 2);
  Waits waits(n);
  for (uint32_t t = 2; t < n; ++t) waits[t] = {t - 2};
  waits.push_back({n - 1, n - 2});
  waits.push_back({n});
  const TaskOrder order(waits);
  EXPECT_FALSE(order.EndsBefore(0, 2));
  EXPECT_FALSE(order.EndsBefore(0, n - 1));
  EXPECT_TRUE(order.EndsBefore(0, n));
  EXPECT_TRUE(order.EndsBefore(n, n + 1));
}

// An edge past a task, or a task that waits for nothing, keeps that task from being narrow.
TEST(TaskOrder, BeyondTheTableAnEdgePastATaskCounts) {
  const auto n = static_cast<uint32_t>(TaskOrder::kExact + 2);
  Waits waits(n);
  for (uint32_t t = 1; t < n; ++t) waits[t] = {t - 1};
  waits[12] = {8};
  waits[20] = {};
  const TaskOrder order(waits);
  EXPECT_FALSE(order.EndsBefore(10, 12));
  EXPECT_FALSE(order.EndsBefore(19, 20));
  EXPECT_FALSE(order.EndsBefore(5, 20));
  EXPECT_FALSE(order.EndsBefore(5, 6));  // 20 may run before both, and nothing but a table knows that 5 leads to 6
  EXPECT_FALSE(order.EndsBefore(0, 20));
  EXPECT_FALSE(order.EndsBefore(21, 20));
}

}  // namespace
}  // namespace opsrun::host
