// tests/host/plan/tasks_test.cc: what may run at the same time, and what memory it may share.
// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "host/plan/planning.h"
#include "tests/host/plan/in_process_ops.h"

namespace opsrun::host {
namespace {

// Output 0 has the shape that input 1 spells.
int32_t ShapeOfSecond(void*, opsrun_shape_call* call) {
  const opsrun_shape* shape = nullptr;
  call->host->want_value(call, 1, nullptr, &shape);
  return call->host->set_output_shape(call, 0, shape);
}

class TasksTest : public ::testing::Test {
 protected:
  TasksTest() {
    ops_.Add({.name = "Same", .inputs = {"x: int32"}, .outputs = {"y: int32"}}, SameShape);
    ops_.Add({.name = "Add", .inputs = {"a: int32", "b: int32"}, .outputs = {"sum: int32"}}, SameShape);
    ops_.Add({.name = "InPlace", .inputs = {"x: int32"}, .outputs = {"y: int32"}}, SameShape);
    ops_.LastKernel().aliases = {{"y", "x"}};
    ops_.Add({.name = "Resize", .inputs = {"x: int32", "shape: int32"}, .outputs = {"y: int32"}}, ShapeOfSecond);
    ops_.LastKernel().aliases = {{"y", "x"}};
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
  static size_t OffsetOf(const Plan& plan, const std::string& node) {
    for (const Step& step : plan.steps) {
      if (plan.NodeOf(step).name.value == node) return plan.values[step.outputs[0]].offset;
    }
    return ~size_t{0};
  }

  InProcessOps ops_;
};

constexpr char kDiamond[] =
    "  a: {op: Same, in: x}\n  b: {op: Same, in: a}\n  c: {op: Same, in: a}\n  d: {op: Same, in: b}\n"
    "  e: {op: Add, in: [c, d]}\n  f: {op: Same, in: e}\n";

TEST_F(TasksTest, ChainsAreTasks) {
  const struct {
    std::string nodes;
    const char* outputs;
    int threads;
    const char* tasks;
    size_t arena_bytes;
  } rows[] = {
      {kDiamond, "f", 4, "a bd(1) c(1) ef(2)", 4 * 64},  // d cannot take a's memory while c may read it
      {kDiamond, "f", 1, "", 3 * 64},
      {"  a: {op: Same, in: x}\n  b: {op: Same, in: a}\n", "b", 4, "", 2 * 64},
      {"  a: {op: Same, in: x}\n  b: {op: Same, in: x}\n", "a, b", 4, "a b", 2 * 64},
      {"  a: {op: Same, in: x}\n  b: {op: Same, in: x}\n  c: {op: Same, in: x, after: [a, b]}\n", "a, b, c", 4,
       "a b c(2)", 3 * 64},
      {"  a: {op: Same, in: x}\n  b: {op: Add, in: [a, a]}\n  c: {op: Same, in: x}\n", "b, c", 4, "ab c", 3 * 64},
      {"  a: {op: Same, in: x}\n  m: {op: Same, in: x}\n  b: {op: Same, in: a}\n  n: {op: Same, in: m}\n", "b, n", 4,
       "ab mn", 4 * 64},
      // c reads what a made, but comes after b anyway: nothing can run at the same time.
      {"  a: {op: Same, in: x}\n  b: {op: Same, in: a}\n  c: {op: Add, in: [a, b]}\n", "c", 4, "", 3 * 64},
      // h follows c, but nothing says that b has read a by then.
      {"  a: {op: Same, in: x}\n  b: {op: Same, in: a}\n  c: {op: Same, in: a}\n  h: {op: Same, in: c}\n", "b, h", 4,
       "a b(1) ch(1)", 4 * 64},
  };
  for (const auto& row : rows) {
    const Plan& plan = Make(row.nodes, row.outputs, row.threads);
    EXPECT_EQ(Tasks(plan), row.tasks) << row.nodes;
    EXPECT_EQ(plan.devices[0].arena_bytes, row.arena_bytes) << row.nodes;
  }
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

// "0011": the thread that each task is meant for.
std::string Homes(const Plan& plan) {
  std::string text;
  for (const Task& task : plan.tasks) text += std::to_string(task.home);
  return text;
}

TEST_F(TasksTest, TasksAreMeantForTheThreadThatMakesTheirInputs) {
  std::string nodes, independent, fan = "  a: {op: Same, in: x}\n";
  for (int i = 0; i < 6; ++i) {
    independent += "  n" + std::to_string(i) + ": {op: Same, in: x}\n";
    fan += "  n" + std::to_string(i) + ": {op: Same, in: a}\n";
  }
  EXPECT_EQ(Homes(Make(independent, "n0", 2)), "000111");
  EXPECT_EQ(Homes(Make(independent, "n0", 3)), "001122");
  EXPECT_EQ(Homes(Make(fan, "n0", 2)), "0000111");
  EXPECT_EQ(Homes(Make(kDiamond, "f", 2)), "0010") << "b and d are as many steps as c and half of another";
  // Each row of six reads the one above it; what the last of them reads is made by both threads.
  for (int i = 0; i < 12; ++i) {
    const std::string above = i < 6 ? "x, x" : "g" + std::to_string(i - 6) + ", g" + std::to_string((i - 5) % 6);
    nodes += "  g" + std::to_string(i) + ": {op: Add, in: [" + above + "]}\n";
  }
  EXPECT_EQ(Homes(Make(nodes, "g6, g7, g8, g9, g10, g11", 2)), "000111000111");
}

// Two threads begin large tasks of a level in turns, and small ones in the order of the graph.
TEST_F(TasksTest, LargeTasksAreInTheOrderInWhichTheyProbablyBegin) {
  for (const bool large : {true, false}) {
    std::string nodes, outputs;
    for (const char c : std::string("abcd")) {
      nodes += std::string("  ") + c + ": {op: Same, in: " + (large ? "big" : "x") + "}\n";
      outputs += std::string(1, c) + ", ";
    }
    const Plan* plan = ops_.Make(
        "feeds:\n  x: {value: [1, 2], dtype: int32}\n  big: {dtype: int32, shape: [100000]}\n"
        "nodes:\n" +
            nodes + "outputs: [" + outputs + "]\n",
        PlanTable(), {}, 2);
    ASSERT_NE(plan, nullptr) << ops_.Found();
    EXPECT_EQ(Tasks(*plan), large ? "a c b d" : "a b c d");
    EXPECT_EQ(Homes(*plan), large ? "0101" : "0011");
  }
}

// The sum of 32 results: each is added to its neighbor as soon as both are there.
TEST_F(TasksTest, LargeTasksAreInAnOrderThatNeedsLittleMemory) {
  std::string nodes;
  for (int i = 0; i < 63; ++i) {
    const std::string in =
        i < 32 ? "big" : "[n" + std::to_string(2 * i - 64) + ", n" + std::to_string(2 * i - 63) + "]";
    nodes += "  n" + std::to_string(i) + ": {op: " + (i < 32 ? "Same" : "Add") + ", in: " + in + "}\n";
  }
  const struct {
    int threads;
    size_t tensors;  // in the arena
  } rows[] = {{1, 33}, {2, 18}, {4, 28}};
  for (const auto& row : rows) {
    const Plan* plan = ops_.Make("feeds:\n  big: {dtype: int32, shape: [16384]}\nnodes:\n" + nodes + "outputs: [n62]\n",
                                 PlanTable(), {}, row.threads);
    ASSERT_NE(plan, nullptr) << ops_.Found();
    EXPECT_EQ(plan->devices[0].arena_bytes, row.tensors * 4 * 16384) << row.threads;
  }
}

TEST_F(TasksTest, AnOutputTakesTheBlockOfAnInputWhereTheKernelCan) {
  for (int threads : {1, 4}) {
    const Plan& plan = Make(
        "  a: {op: Same, in: x}\n  b: {op: InPlace, in: a}\n  c: {op: InPlace, in: b}\n  d: {op: Same, in: x}\n"
        "  e: {op: Resize, in: [d, many]}\n",
        "c, e", threads);
    EXPECT_EQ(OffsetOf(plan, "b"), OffsetOf(plan, "a"));
    EXPECT_EQ(OffsetOf(plan, "c"), OffsetOf(plan, "a"));
    EXPECT_NE(OffsetOf(plan, "d"), OffsetOf(plan, "a"));
    EXPECT_NE(OffsetOf(plan, "e"), OffsetOf(plan, "d")) << "of another size";
  }
}

// What a kernel declares of a list is about all its tensors together.
TEST_F(TasksTest, AKernelThatWouldTakeOverAListIsLeftOut) {
  ops_.Add({.name = "JoinInPlace", .inputs = {"xs: N * int32"}, .outputs = {"y: int32"}, .attrs = {"N: int"}},
           SameShape);
  ops_.LastKernel().aliases = {{"y", "xs"}};
  const std::string feed = "feeds: {x: {value: [1, 2], dtype: int32}}\n";
  EXPECT_EQ(ops_.Make(feed + "nodes: {c: {op: JoinInPlace, in: {xs: [x]}}}\noutputs: [c]\n"), nullptr);
  EXPECT_EQ(ops_.Places(), "K301 3:17\n");
}

TEST_F(TasksTest, OnlyASoleReaderMayForward) {
  const Plan& plan =
      Make("  a: {op: Same, in: x}\n  b: {op: Same, in: a}\n  c: {op: Same, in: a}\n  d: {op: Same, in: c}\n", "b, d");
  for (const Step& step : plan.steps) {
    EXPECT_EQ(step.forwardable, plan.NodeOf(step).name.value == "d" ? 1u : 0u) << plan.NodeOf(step).name.value;
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
    EXPECT_FALSE(order.EndsBefore(top, top));
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

TEST(ArenaPlanner, JoinsNeighboursAndGrowsTheBlockAtTheEnd) {
  ArenaPlanner arena(nullptr);
  const size_t a = arena.Take(64, 0), b = arena.Take(64, 0), c = arena.Take(64, 0);
  arena.Give(a, 64, {});
  arena.Give(c, 64, {});
  arena.Give(b, 64, {});
  EXPECT_EQ(arena.Take(192, 0), a);
  EXPECT_EQ(arena.bytes(), 192u);
  arena.Give(a, 192, {});
  EXPECT_EQ(arena.Take(256, 0), a);
  EXPECT_EQ(arena.bytes(), 256u);
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
TEST(ArenaPlanner, ATaskWaitsForTheUsersOfItsBlockButNotForItself) {
  const TaskOrder order({{}, {}, {0, 1}});
  ArenaPlanner arena(&order);
  const size_t of_0 = arena.Take(64, 0);
  arena.Give(of_0, 64, {0});
  const size_t of_1 = arena.Take(64, 1);
  EXPECT_NE(of_1, of_0);
  EXPECT_EQ(arena.Take(64, 2), of_0);
  arena.Give(of_1, 64, {1});
  EXPECT_EQ(arena.Take(64, 1), of_1);
}

TEST(ArenaPlanner, NeighboursOfDifferentUsersStayApart) {
  const TaskOrder order({{}, {}, {0}});
  for (const bool first : {true, false}) {
    ArenaPlanner arena(&order);
    const size_t of_0 = arena.Take(64, 0), of_1 = arena.Take(64, 1);
    if (first) arena.Give(of_0, 64, {0});
    arena.Give(of_1, 64, {1});
    if (!first) arena.Give(of_0, 64, {0});
    EXPECT_EQ(arena.Take(128, 2), 128u);
    EXPECT_EQ(arena.Take(64, 2), of_0);
  }
}

}  // namespace
}  // namespace opsrun::host
