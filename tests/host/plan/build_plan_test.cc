// tests/host/plan/build_plan_test.cc: graphs that become plans, and what stands in the way of others.
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/build_plan.h"

#include <gtest/gtest.h>

#include "tests/host/plan/in_process_ops.h"
#include "tests/host/plan/plan_table.h"

namespace opsrun::host {
namespace {

class BuildPlanTest : public ::testing::Test {
 protected:
  BuildPlanTest() {
    ops_.Add({.name = "Same", .inputs = {"x: T"}, .outputs = {"y: T"}, .attrs = {"T: {float, int32}"}}, SameShape,
             ComputeNothing);
    ops_.Add({.name = "Add", .inputs = {"a: T", "b: T"}, .outputs = {"sum: T"}, .attrs = {"T: {float, int32}"}},
             SameShape, ComputeNothing);
    ops_.Add({.name = "Late", .inputs = {"x: int32"}, .outputs = {"y: int32"}}, nullptr, ComputeNothing);
    ops_.Add({.name = "Two", .inputs = {"x: int32"}, .outputs = {"p: int32", "q: int32"}}, nullptr, ComputeNothing);
    ops_.Add({.name = "Many", .inputs = {"xs: N * int32"}, .outputs = {"ys: N * int32"}, .attrs = {"N: int"}}, nullptr,
             ComputeNothing);
    ops_.Add({.name = "Level",
              .inputs = {"x: int32"},
              .outputs = {"y: int32"},
              .attrs = {"level: int >= 0", "mode: {'up', 'down'} = 'up'"}},
             SameShape, ComputeNothing);
    ops_.AddOp({.name = "Declared", .inputs = {"x: int32"}, .outputs = {"y: int32"}}, SameShape);
  }

  const Plan* Make(const std::string& nodes, const std::string& outputs) {
    return ops_.Make("feeds:\n  x: {value: [1, 2], dtype: int32}\n  f: {value: [1.5], dtype: float32}\nnodes:\n" +
                         nodes + "outputs: [" + outputs + "]\n",
                     PlanTable());
  }
  // The mistakes in the nodes, which begin at line 6.
  std::string Mistakes(const std::string& nodes, const std::string& outputs = "x") {
    ops_.diagnostics.all().clear();
    EXPECT_EQ(Make(nodes, outputs), nullptr);
    return ops_.Places();
  }

  InProcessOps ops_;
};

TEST_F(BuildPlanTest, StepsFollowTheirProducersAndOtherwiseTheFile) {
  const Plan* plan = Make("  b: {op: Same, in: a}\n  c: {op: Same, in: x}\n  a: {op: Same, in: x}\n", "b, c");
  ASSERT_NE(plan, nullptr) << ops_.Found();
  std::string order;
  for (const Step& step : plan->steps) order += plan->NodeOf(step).name.value;
  EXPECT_EQ(order, "abc");
}

TEST_F(BuildPlanTest, ALabelPicksTheKernelThatHasIt) {
  ops_.AddOp({.name = "Labelled", .inputs = {"x: int32"}, .outputs = {"y: int32"}}, SameShape);
  ops_.AddKernel("Labelled", ComputeNothing);
  ops_.AddKernel("Labelled", ComputeNothing).def.label = "fast";
  const Plan* plan = Make("  a: {op: Labelled, in: x}\n  b: {op: Labelled, in: x, label: fast}\n", "a, b");
  ASSERT_NE(plan, nullptr) << ops_.Found();
  EXPECT_EQ(plan->steps[0].kernel->def.label, "");
  EXPECT_EQ(plan->steps[1].kernel->def.label, "fast");
}

TEST_F(BuildPlanTest, AnUnknownLabelIsAMistakeAtTheOp) {
  EXPECT_EQ(Mistakes("  a: {op: Same, in: x, label: fast}\n"), "K301 6:11\n");
}

TEST_F(BuildPlanTest, ADeprecatedOpWarnsAtEachUse) {
  ops_.Add({.name = "Old",
            .inputs = {"x: int32"},
            .outputs = {"y: int32"},
            .deprecated_version = 3,
            .deprecated_text = "use Same"},
           SameShape, ComputeNothing);
  EXPECT_NE(Make("  a: {op: Old, in: x}\n  b: {op: Old, in: a}\n", "b"), nullptr);
  EXPECT_EQ(ops_.Places(), "G220 6:11\nG220 7:11\n");
}

TEST_F(BuildPlanTest, RefusedWarningsAreMistakes) {
  ops_.Add({.name = "Old", .inputs = {"x: int32"}, .outputs = {"y: int32"}, .deprecated_version = 3}, SameShape,
           ComputeNothing);
  ops_.diagnostics.RefuseWarnings();
  EXPECT_EQ(Mistakes("  a: {op: Old, in: x}\n"), "G220 6:11\n");
}

TEST_F(BuildPlanTest, WhatIsCheckedIsKeptToTheEnd) {
  const Plan* plan = Make("  a: {op: Same, in: x}\n  b: {op: Same, in: a}\nchecks: [{from: a, value: [1, 2]}]\n", "b");
  ASSERT_NE(plan, nullptr) << ops_.Found();
  ASSERT_EQ(plan->checks.size(), 1u);
  EXPECT_TRUE(plan->values[plan->checks[0].value].kept);
  EXPECT_EQ(plan->checks[0].expected.dtype(), DType::kInt32);
}

TEST_F(BuildPlanTest, AfterMakesANodeWait) {
  const Plan* plan = Make("  a: {op: Same, in: x, after: b}\n  b: {op: Same, in: x}\n", "a");
  ASSERT_NE(plan, nullptr) << ops_.Found();
  EXPECT_EQ(plan->NodeOf(plan->steps[0]).name.value, "b");
}

TEST_F(BuildPlanTest, KnownShapesLieInTheArenaAndLateOnesDoNot) {
  const Plan* plan = Make("  a: {op: Same, in: x}\n  b: {op: Late, in: a}\n  c: {op: Same, in: b}\n", "c");
  ASSERT_NE(plan, nullptr) << ops_.Found();
  EXPECT_EQ(plan->values[plan->steps[0].outputs[0]].memory, PlanValue::Memory::kArena);
  EXPECT_EQ(plan->values[plan->steps[0].outputs[0]].shape, Shape{2});
  EXPECT_EQ(plan->values[plan->steps[1].outputs[0]].memory, PlanValue::Memory::kDynamic);
  EXPECT_EQ(plan->values[plan->steps[2].outputs[0]].memory, PlanValue::Memory::kDynamic);
  EXPECT_EQ(plan->steps[2].released, plan->steps[1].outputs);
}

TEST_F(BuildPlanTest, AChainReusesTheArena) {
  std::string nodes = "  n0: {op: Same, in: x}\n";
  for (int i = 1; i < 100; ++i)
    nodes += "  n" + std::to_string(i) + ": {op: Same, in: n" + std::to_string(i - 1) + "}\n";
  const Plan* plan = Make(nodes, "n99");
  ASSERT_NE(plan, nullptr) << ops_.Found();
  EXPECT_EQ(plan->devices[0].arena_bytes, 128u);
}

TEST_F(BuildPlanTest, AResultKeepsItsMemory) {
  const Plan* plan = Make("  a: {op: Same, in: x}\n  b: {op: Same, in: a}\n  c: {op: Same, in: b}\n", "a, b, c");
  ASSERT_NE(plan, nullptr) << ops_.Found();
  EXPECT_EQ(plan->devices[0].arena_bytes, 3 * 64u);
}

TEST_F(BuildPlanTest, OnlyTheLastSoleReaderMayForward) {
  const Plan* plan = Make(
      "  a: {op: Same, in: x}\n  b: {op: Same, in: a}\n  c: {op: Add, in: [b, b]}\n  d: {op: Add, in: [a, c]}\n", "d");
  ASSERT_NE(plan, nullptr) << ops_.Found();
  EXPECT_EQ(plan->steps[0].forwardable, 0u);  // a feed
  EXPECT_EQ(plan->steps[1].forwardable, 0u);  // read again by d
  EXPECT_EQ(plan->steps[2].forwardable, 0u);  // twice in one call
  EXPECT_EQ(plan->steps[3].forwardable, 3u);
}

TEST_F(BuildPlanTest, AListTakesReferencesInOrderAndGivesElements) {
  const Plan* plan =
      Make("  m: {op: Many, in: {xs: [x, x, x]}}\n  l: {op: Late, in: m.ys.2}\n  n: {op: Many, in: [x, m.ys.0]}\n",
           "l, n.ys.1");
  ASSERT_NE(plan, nullptr) << ops_.Found();
  EXPECT_EQ(plan->steps[0].inputs.size(), 3u);
  EXPECT_EQ(plan->steps[1].inputs[0], plan->steps[0].outputs[2]);
  EXPECT_EQ(plan->steps[2].inputs.size(), 2u);
}

TEST_F(BuildPlanTest, NamesWhatIsNotThere) {
  EXPECT_EQ(Mistakes("  a: {op: Sane, in: x}\n  b: {op: Same, in: y}\n  c: {op: Same, in: x.out}\n  d: {op: Two, in: "
                     "x}\n  e: {op: Late, in: d}\n  g: {op: Late, in: d.r}\n"),
            "G204 7:21\n"
            "G201 6:11\n"
            "G206 8:21\n"
            "G207 10:21\n"
            "G206 11:21\n");
}

TEST_F(BuildPlanTest, DrawsACycle) {
  EXPECT_EQ(Mistakes("  a: {op: Same, in: c}\n  b: {op: Same, in: a}\n  c: {op: Sane, in: b}\n"),
            "G205 7:21\n"
            "G201 8:11\n");
}

TEST_F(BuildPlanTest, TellsMissingSuperfluousAndUnknownInputs) {
  EXPECT_EQ(
      Mistakes(
          "  a: {op: Add, in: x}\n  b: {op: Same, in: [x, x]}\n  c: {op: Add, in: {a: x, c: x}}\n  d: {op: Same}\n"),
      "G211 6:20\n"
      "G211 7:25\n"
      "G210 8:27\n"
      "G211 9:11\n");
}

TEST_F(BuildPlanTest, TypesThatDifferAreRefusedAtTheInput) {
  const std::string mistakes = Mistakes("  a: {op: Add, in: [x, f]}\n");
  EXPECT_EQ(mistakes, "G215 6:24\n");
}

TEST_F(BuildPlanTest, TheElementOfAListThatDiffersIsThePlace) {
  EXPECT_EQ(Mistakes("  a: {op: Many, in: {xs: [f, x]}}\n"), "G215 6:27\n");
  EXPECT_EQ(Mistakes("  a: {op: Many, in: {xs: [x, f]}}\n"), "G215 6:30\n");
}

TEST_F(BuildPlanTest, AMistakeHidesOnlyWhatFollowsFromIt) {
  EXPECT_EQ(Mistakes("  a: {op: Sane, in: x}\n  b: {op: Add, in: [a, x], attrs: {T: int8, U: 1}}\n").find("G212 7:"),
            std::string("G201 6:11\n").size());
}

TEST_F(BuildPlanTest, BadAttrsAreRefusedAtTheirValue) {
  const std::string mistakes = Mistakes(
      "  a: {op: Level, in: x, attrs: {level: high}}\n"
      "  b: {op: Level, in: x, attrs: {level: -1}}\n"
      "  c: {op: Level, in: x, attrs: {level: 1, mode: left}}\n"
      "  d: {op: Level, in: x}\n");
  EXPECT_NE(mistakes.find("G214 6:40\n"), std::string::npos) << mistakes;
  EXPECT_NE(mistakes.find("G214 7:40\n"), std::string::npos) << mistakes;
  EXPECT_NE(mistakes.find("G214 8:49\n"), std::string::npos) << mistakes;
  EXPECT_NE(mistakes.find("G213 9:11\n"), std::string::npos) << mistakes;
}

TEST_F(BuildPlanTest, AShapeThatIsAnAttrHasAtMost32Sizes) {
  ops_.Add({.name = "Shaped", .inputs = {"x: int32"}, .outputs = {"y: int32"}, .attrs = {"s: shape"}}, SameShape,
           ComputeNothing);
  std::string sizes = "1";
  for (int i = 1; i < 32; ++i) sizes += ", 1";
  EXPECT_NE(Make("  a: {op: Shaped, in: x, attrs: {s: [" + sizes + "]}}\n", "a"), nullptr) << ops_.Found();
  EXPECT_EQ(Mistakes("  a: {op: Shaped, in: x, attrs: {s: [" + sizes + ", 1]}}\n"), "G214 6:37\n");
}

// Either a value, or a fill and a shape.
TEST_F(BuildPlanTest, ATensorThatIsAnAttrIsWrittenInOneOfTwoWays) {
  ops_.Add({.name = "Tensor", .inputs = {"x: int32"}, .outputs = {"y: int32"}, .attrs = {"t: tensor"}}, SameShape,
           ComputeNothing);
  const auto places = [&](const std::string& tensor) {
    ops_.diagnostics = {};
    Make("  a: {op: Tensor, in: x, attrs: {t: " + tensor + "}}\n", "a");
    return ops_.Places();
  };
  const std::string dtype = ", dtype: int32}";
  for (const char* good : {"{value: [1, 2]", "{value: 1", "{value: []", "{fill: 1, shape: [2]", "{fill: 1, shape: []"})
    EXPECT_EQ(places(good + dtype), "") << good;
  for (const char* bad : {"{value: 1, fill: 1", "{value: 1, shape: [2]", "{value: 1, fill: 1, shape: [2]", "{fill: 1",
                          "{shape: [2]", "{dtype: int32"})
    EXPECT_EQ(places(bad == std::string("{dtype: int32") ? "{dtype: int32}" : bad + dtype), "G214 6:37\n") << bad;
  EXPECT_EQ(places("{fill: 1, shape: [-1]" + dtype).substr(0, 7), "G214 6:");
  EXPECT_EQ(places("{fill: 1, shape: [2, -2]" + dtype).substr(0, 7), "G214 6:");
}

TEST_F(BuildPlanTest, AShapeThatIsAnAttrIsAList) {
  ops_.Add({.name = "Shaped", .inputs = {"x: int32"}, .outputs = {"y: int32"}, .attrs = {"s: shape"}}, SameShape,
           ComputeNothing);
  EXPECT_NE(Make("  a: {op: Shaped, in: x, attrs: {s: []}}\n", "a"), nullptr) << ops_.Found();
  for (const char* bad : {"3", "'3'", "{a: 1}"}) {
    ops_.diagnostics = {};
    EXPECT_EQ(Mistakes(std::string("  a: {op: Shaped, in: x, attrs: {s: ") + bad + "}}\n"), "G214 6:37\n") << bad;
  }
}

TEST_F(BuildPlanTest, AListOfOneIsAList) {
  EXPECT_EQ(Mistakes("  m: {op: Many, in: [x]}\n", "m.ys"), "G208 7:11\n");
  EXPECT_EQ(Mistakes("  m: {op: Many, in: [x]}\n  l: {op: Late, in: m.ys}\n", "l"), "G218 7:21\n");
  ops_.diagnostics.all().clear();
  EXPECT_NE(Make("  m: {op: Many, in: [x]}\n  n: {op: Many, in: m.ys}\n  l: {op: Late, in: n.ys.0}\n", "l"), nullptr);
}

TEST_F(BuildPlanTest, WhatHasNoValueIsNotChecked) {
  ops_.Add({.name = "Handle", .inputs = {"x: int32"}, .outputs = {"h: resource"}}, nullptr, ComputeNothing);
  EXPECT_EQ(Mistakes("  h: {op: Handle, in: x}\nchecks: [{from: h, value: 1}]\n", "x"), "G114 7:17\n");
}

TEST_F(BuildPlanTest, ACheckHasItsOwnTolerance) {
  const auto tolerance = [&](const std::string& words) {
    const Plan* plan = Make("  a: {op: Same, in: f}\nchecks: [{from: a, value: [1]" + words + "}]\n", "a");
    EXPECT_NE(plan, nullptr) << ops_.Found();
    return plan->checks[0].tolerance;
  };
  const Tolerance usual = DefaultTolerance(DType::kFloat32);
  EXPECT_EQ(tolerance("").rtol, usual.rtol);
  EXPECT_EQ(tolerance("").atol, usual.atol);
  EXPECT_EQ(tolerance(", rtol: 0.25").rtol, 0.25);
  EXPECT_EQ(tolerance(", rtol: 0.25").atol, usual.atol);
  EXPECT_EQ(tolerance(", atol: 0.5").atol, 0.5);
  EXPECT_EQ(tolerance(", atol: 0.5").rtol, usual.rtol);
}

TEST_F(BuildPlanTest, SizesOfAnAttrAreMinusOneOrMore) {
  ops_.Add({.name = "Shaped", .inputs = {"x: int32"}, .outputs = {"y: int32"}, .attrs = {"s: list(shape)"}}, SameShape,
           ComputeNothing);
  EXPECT_NE(Make("  a: {op: Shaped, in: x, attrs: {s: [[], [-1, 0, 5]]}}\n", "a"), nullptr) << ops_.Found();
  EXPECT_EQ(Mistakes("  a: {op: Shaped, in: x, attrs: {s: [[1], [3, -2]]}}\n"), "G214 6:47\n");
}

TEST_F(BuildPlanTest, ACycleIsShownWhereEachOfItsNodesWaits) {
  EXPECT_EQ(Mistakes("  t: {op: Same, in: a}\n  a: {op: Same, in: c}\n  b: {op: Same, in: a}\n"
                     "  c: {op: Same, in: x, after: [b]}\n"),
            "G205 8:21\n");
  std::string also;
  for (const auto& place : ops_.diagnostics.all()[0].also)
    also += std::to_string(place.span.begin.line) + ":" + std::to_string(place.span.begin.column) + " ";
  EXPECT_EQ(also, "7:21 9:32 ");
}

TEST_F(BuildPlanTest, AnOpWithoutAKernelIsRefused) {
  EXPECT_EQ(Mistakes("  a: {op: Declared, in: x}\n"), "K301 6:11\n");
}

TEST_F(BuildPlanTest, ElementsOfListsAreChecked) {
  EXPECT_EQ(Mistakes("  m: {op: Many, in: [x, x]}\n  a: {op: Late, in: m.ys.2}\n  b: {op: Late, in: a.y.0}\n", "m"),
            "G208 7:21\n"
            "G208 9:11\n");
}

}  // namespace
}  // namespace opsrun::host
