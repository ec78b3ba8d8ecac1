// tests/host/plan/tasks_test.cc: what may run at the same time, and what memory it may share.
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/tasks.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/host/plan/in_process_ops.h"
#include "tests/host/plan/plan_table.h"

namespace opsrun::host {
namespace {

// Output 0 has the shape that input 1 spells.
int32_t ShapeOfSecond(void*, opsrun_shape_call* call) {
  const opsrun_shape* shape = nullptr;
  call->host->want_value(call, 1, nullptr, &shape);
  return call->host->set_output_shape(call, 0, shape);
}
int32_t SameShapeTwice(void*, opsrun_shape_call* call) {
  call->host->set_output_shape(call, 1, call->in[0]);
  return call->host->set_output_shape(call, 0, call->in[0]);
}

class TasksTest : public ::testing::Test {
 protected:
  TasksTest() {
    ops_.Add({.name = "Same", .inputs = {"x: int32"}, .outputs = {"y: int32"}}, SameShape, ComputeNothing);
    ops_.Add({.name = "Add", .inputs = {"a: int32", "b: int32"}, .outputs = {"sum: int32"}}, SameShape, ComputeNothing);
    ops_.Add({.name = "InPlace", .inputs = {"x: int32"}, .outputs = {"y: int32"}}, SameShape, ComputeNothing);
    ops_.LastKernel().aliases = {{"y", "x"}};
    ops_.Add({.name = "Resize", .inputs = {"x: int32", "shape: int32"}, .outputs = {"y: int32"}}, ShapeOfSecond,
             ComputeNothing);
    ops_.LastKernel().aliases = {{"y", "x"}};
    ops_.Add({.name = "Split", .inputs = {"x: int32"}, .outputs = {"y: int32", "z: int32"}}, SameShapeTwice,
             ComputeNothing);
    ops_.LastKernel().aliases = {{"y", "x"}, {"z", "x"}};
    ops_.Add({.name = "Join", .inputs = {"xs: N * int32"}, .outputs = {"y: int32"}, .attrs = {"N: int"}}, SameShape,
             ComputeNothing);
    ops_.Add({.name = "Late", .inputs = {"x: int32"}, .outputs = {"y: int32"}}, nullptr, ComputeNothing);
  }

  const Plan& Make(const std::string& nodes, const std::string& outputs, int threads = 4) {
    const Plan* plan =
        ops_.Make("feeds:\n  x: {value: [1, 2], dtype: int32}\n  many: {value: [1000], dtype: int32}\nnodes:\n" +
                      nodes + "outputs: [" + outputs + "]\n",
                  PlanTable(), {}, threads);
    EXPECT_NE(plan, nullptr) << ops_.Found();
    return *plan;
  }
  // "ab c(1) d(2)": the nodes of each task, and how many tasks it waits for.
  static std::string Tasks(const Plan& plan) {
    std::string text;
    for (const Task& task : plan.tasks) {
      if (!text.empty()) text += ' ';
      for (uint32_t s = task.first; s < task.first + task.count; ++s) text += plan.NodeOf(plan.steps[s]).name.value;
      if (task.waits_for > 0) text += "(" + std::to_string(task.waits_for) + ")";
    }
    return text;
  }
  static size_t OffsetOf(const Plan& plan, const std::string& node, size_t output = 0) {
    for (const Step& step : plan.steps) {
      if (plan.NodeOf(step).name.value == node) return plan.values[step.outputs[output]].offset;
    }
    return ~size_t{0};
  }

  InProcessOps ops_;
};

constexpr char kDiamond[] =
    "  a: {op: Same, in: x}\n  b: {op: Same, in: a}\n  c: {op: Same, in: a}\n  d: {op: Same, in: b}\n"
    "  e: {op: Add, in: [c, d]}\n  f: {op: Same, in: e}\n";

TEST_F(TasksTest, AChainIsOneTaskAndOneTaskIsNone) {
  EXPECT_EQ(Tasks(Make("  a: {op: Same, in: x}\n  b: {op: Same, in: a}\n", "b")), "");
}

TEST_F(TasksTest, NoneForOneThread) {
  EXPECT_EQ(Tasks(Make(kDiamond, "f", 1)), "");
}

TEST_F(TasksTest, ChainsOfADiamond) {
  EXPECT_EQ(Tasks(Make(kDiamond, "f")), "a bd(1) c(1) ef(2)");
}

TEST_F(TasksTest, IndependentNodesAreTasks) {
  EXPECT_EQ(Tasks(Make("  a: {op: Same, in: x}\n  b: {op: Same, in: x}\n", "a, b")), "a b");
}

TEST_F(TasksTest, ManyIndependentNodesAreAFewTasks) {
  std::string nodes, outputs;
  for (int i = 0; i < 100; ++i) nodes += "  n" + std::to_string(i) + ": {op: Same, in: x}\n";
  const Plan& plan = Make(nodes, "n0", 2);
  EXPECT_EQ(plan.tasks.size(), 16u);
  uint32_t steps = 0;
  for (const Task& task : plan.tasks) {
    EXPECT_EQ(task.first, steps);
    EXPECT_TRUE(task.count == 6 || task.count == 7);
    steps += task.count;
  }
  EXPECT_EQ(steps, 100u);
  EXPECT_EQ(plan.devices[0].arena_bytes, 17 * 64u);  // one for each task, and the result
}

// Their sum waits for all of them, whatever task they are in.
TEST_F(TasksTest, WhatWaitsForManyNodesWaitsForTheirTasks) {
  std::string nodes = "  s0: {op: Add, in: [x, x]}\n";
  for (int i = 1; i < 40; ++i) {
    const std::string n = std::to_string(i);
    nodes +=
        "  n" + n + ": {op: Same, in: x}\n  s" + n + ": {op: Add, in: [s" + std::to_string(i - 1) + ", n" + n + "]}\n";
  }
  const Plan& plan = Make(nodes, "s39", 2);
  for (uint32_t s = 0; s < plan.steps.size(); ++s) {
    for (const uint32_t value : plan.steps[s].inputs) {
      const uint32_t producer = plan.values[value].producer;
      if (producer != PlanValue::kNone) {
        EXPECT_LT(producer, s);
      }
    }
  }
}

TEST_F(TasksTest, AfterMakesATaskWait) {
  EXPECT_EQ(Tasks(Make("  a: {op: Same, in: x}\n  b: {op: Same, in: x}\n  c: {op: Same, in: x, after: [a, b]}\n", "c")),
            "a b c(2)");
}

TEST_F(TasksTest, ANodeReadTwiceByOneNodeIsWaitedForOnce) {
  EXPECT_EQ(Tasks(Make("  a: {op: Same, in: x}\n  b: {op: Add, in: [a, a]}\n  c: {op: Same, in: x}\n", "b, c")),
            "ab c");
}

TEST_F(TasksTest, InterleavedChainsAreTakenApart) {
  const Plan& plan =
      Make("  a: {op: Same, in: x}\n  m: {op: Same, in: x}\n  b: {op: Same, in: a}\n  n: {op: Same, in: m}\n", "b, n");
  EXPECT_EQ(Tasks(plan), "ab mn");
  for (uint32_t s = 0; s < plan.steps.size(); ++s) EXPECT_EQ(plan.values[plan.steps[s].outputs[0]].producer, s);
}

// In file order d could take a's memory: not while c may still read it.
TEST_F(TasksTest, MemoryIsSharedOnlyWithWhatHasEnded) {
  const Plan& plan = Make(kDiamond, "f");
  EXPECT_NE(OffsetOf(plan, "d"), OffsetOf(plan, "a"));
  EXPECT_NE(OffsetOf(plan, "c"), OffsetOf(plan, "b"));
  EXPECT_NE(OffsetOf(plan, "c"), OffsetOf(plan, "d"));
  EXPECT_EQ(plan.devices[0].arena_bytes, 4 * 64u);  // a b c d; e and f take theirs
}

// h follows c, but nothing says that b has read a by then.
TEST_F(TasksTest, MemoryIsNotTakenFromAReaderAtTheSide) {
  const Plan& plan =
      Make("  a: {op: Same, in: x}\n  b: {op: Same, in: a}\n  c: {op: Same, in: a}\n  h: {op: Same, in: c}\n", "b, h");
  EXPECT_EQ(Tasks(plan), "a b(1) ch(1)");
  EXPECT_NE(OffsetOf(plan, "h"), OffsetOf(plan, "a"));
}

TEST_F(TasksTest, OneThreadNeedsLessMemory) {
  EXPECT_EQ(Make(kDiamond, "f", 1).devices[0].arena_bytes, 3 * 64u);
}

TEST_F(TasksTest, AnOutputTakesTheBlockOfAnInputWhereTheKernelCan) {
  for (int threads : {1, 4}) {
    const Plan& plan =
        Make("  a: {op: Same, in: x}\n  b: {op: InPlace, in: a}\n  c: {op: InPlace, in: b}\n  d: {op: Same, in: x}\n",
             "c, d", threads);
    EXPECT_EQ(OffsetOf(plan, "b"), OffsetOf(plan, "a"));
    EXPECT_EQ(OffsetOf(plan, "c"), OffsetOf(plan, "a"));
    EXPECT_NE(OffsetOf(plan, "d"), OffsetOf(plan, "a"));
  }
}

TEST_F(TasksTest, AnInputThatOthersReadOrThatIsAResultIsNotTakenOver) {
  const Plan& plan = Make(
      "  a: {op: Same, in: x}\n  b: {op: InPlace, in: a}\n  c: {op: Add, in: [a, b]}\n  r: {op: Same, in: x}\n"
      "  s: {op: InPlace, in: r}\n  f: {op: InPlace, in: x}\n",
      "c, r, s, f", 1);
  EXPECT_NE(OffsetOf(plan, "b"), OffsetOf(plan, "a"));
  EXPECT_NE(OffsetOf(plan, "s"), OffsetOf(plan, "r"));
}

TEST_F(TasksTest, ABlockIsTakenOverByOneOutputOfItsSize) {
  for (int threads : {1, 4}) {
    const Plan& plan = Make(
        "  a: {op: Same, in: x}\n  b: {op: Split, in: a}\n  c: {op: Same, in: x}\n"
        "  d: {op: Resize, in: [c, many]}\n",
        "b.y, b.z, d", threads);
    EXPECT_EQ(OffsetOf(plan, "b"), OffsetOf(plan, "a"));
    EXPECT_NE(OffsetOf(plan, "b", 1), OffsetOf(plan, "a"));
    EXPECT_NE(OffsetOf(plan, "d"), OffsetOf(plan, "c"));
  }
}

// What a kernel declares of a list is about all its tensors together.
TEST_F(TasksTest, AKernelThatWouldTakeOverAListIsLeftOut) {
  ops_.Add({.name = "JoinInPlace", .inputs = {"xs: N * int32"}, .outputs = {"y: int32"}, .attrs = {"N: int"}},
           SameShape, ComputeNothing);
  ops_.LastKernel().aliases = {{"y", "xs"}};
  const std::string feed = "feeds: {x: {value: [1, 2], dtype: int32}}\n";
  EXPECT_EQ(ops_.Make(feed + "nodes: {c: {op: JoinInPlace, in: {xs: [x]}}}\noutputs: [c]\n", PlanTable()), nullptr);
  EXPECT_EQ(ops_.Places(), "K301 3:17\n");
}

TEST_F(TasksTest, OnlyASoleReaderMayForward) {
  const Plan& plan =
      Make("  a: {op: Same, in: x}\n  b: {op: Same, in: a}\n  c: {op: Same, in: a}\n  d: {op: Same, in: c}\n", "b, d");
  for (const Step& step : plan.steps) {
    EXPECT_EQ(step.forwardable, plan.NodeOf(step).name.value == "d" ? 1u : 0u) << plan.NodeOf(step).name.value;
  }
}

TEST_F(TasksTest, EveryReaderOfALateValueReleasesIt) {
  const Plan& plan = Make("  a: {op: Late, in: x}\n  b: {op: Same, in: a}\n  c: {op: Add, in: [a, a]}\n", "b, c");
  for (const Step& step : plan.steps) {
    EXPECT_EQ(step.released.size(), plan.NodeOf(step).name.value == "a" ? 0u : 1u) << plan.NodeOf(step).name.value;
  }
}

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
