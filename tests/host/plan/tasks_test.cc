// tests/host/plan/tasks_test.cc: what may run at the same time, and what memory it may share.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace opsrun::host
