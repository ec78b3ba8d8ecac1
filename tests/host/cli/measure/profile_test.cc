// tests/host/cli/measure/profile_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/measure/profile.h"

#include <gtest/gtest.h>

#include "tests/host/plan/in_process_ops.h"
#include "tests/host/plan/plan_table.h"

namespace opsrun::host {
namespace {

const std::vector<NodeFacts> kFacts = {{"a", "Add", "math"}, {"b", "Pad", "pad"}, {"c", "Add", "math"}};

TEST(Profile, IsByNodeAndByOpAndShowsTheHost) {
  ProfileSums sums;
  sums.Add({{100, 400, 0}, {400, 1000, 0}, {1000, 1100, 0}}, 1250);
  sums.Add({{100, 400, 0}, {400, 1000, 0}, {1000, 1100, 0}}, 1250);
  EXPECT_EQ(ProfileText(sums, kFacts, 20), R"(profile of 2 runs, 2.50 us in them

node  op        calls    total    mean   share
b     pad.Pad       2  1.20 us  600 ns  60.0 %
a     math.Add      2   600 ns  300 ns  30.0 %
c     math.Add      2   200 ns  100 ns  10.0 %

op        calls    total    mean   share
pad.Pad       2  1.20 us  600 ns  60.0 %
math.Add      4   800 ns  200 ns  40.0 %

kernels  2.00 us
host     500 ns, 20.0 % of the time in runs
clock    about 20.0 ns of each call, and as much of the host's time
)");
}

TEST(Profile, OfSeveralThreadsSaysHowManyWereBusy) {
  ProfileSums sums, other;
  sums.Add({{100, 400, 0}, {100, 500, 1}, {500, 600, 0}}, 500);
  other.Merge(sums);
  EXPECT_EQ(other.steps[1].ns, 400);
  EXPECT_NE(ProfileText(other, kFacts, 20).find("threads  1.60 in kernels on average"), std::string::npos);
}

TEST(Profile, CountsNoStepThatDidNotRun) {
  ProfileSums sums;
  sums.Add({{100, 400, 0}, {}, {}}, 500);
  EXPECT_EQ(sums.steps[1].calls, 0u);
  EXPECT_EQ(sums.kernel_ns, 300);
}

TEST(Profile, FoldsTheTail) {
  std::vector<NodeFacts> facts;
  std::vector<StepTime> times;
  for (int64_t i = 0; i < 20; ++i) {
    facts.push_back({"n" + std::to_string(i), "Op", "p"});
    times.push_back({1, 101 - i, 0});
  }
  ProfileSums sums;
  sums.Add(times, 3000);
  const std::string text = ProfileText(sums, facts, 20);
  EXPECT_NE(text.find("\nn14  "), std::string::npos) << text;
  EXPECT_EQ(text.find("\nn15 "), std::string::npos) << text;
  EXPECT_NE(text.find("\n5 more            5   415 ns  83.0 ns  22.9 %\n"), std::string::npos) << text;
}

TEST(Profile, OfNothingDividesByNothing) {
  EXPECT_EQ(ProfileText({}, {}, 20).find("nan"), std::string::npos);
}

TEST(NodeFacts, KnowTheBytesWhereThePlanKnowsTheShapes) {
  InProcessOps ops;
  ops.Add({.name = "Same", .inputs = {"x: int32"}, .outputs = {"y: int32"}}, SameShape, ComputeNothing);
  ops.Add({.name = "Late", .inputs = {"x: int32"}, .outputs = {"y: int32"}}, nullptr, ComputeNothing);
  const Plan* plan = ops.Make(
      "feeds:\n  x: {value: [1, 2, 3], dtype: int32}\nnodes:\n  a: {op: Same, in: x}\n  b: {op: Late, in: a}\n"
      "outputs: [b]\n",
      PlanTable());
  ASSERT_NE(plan, nullptr) << ops.Found();
  const std::vector<NodeFacts> facts = FactsOf(*plan);
  ASSERT_EQ(facts.size(), 2u);
  EXPECT_EQ(facts[0].name + " " + facts[0].QualifiedOp(), "a test.Same");
  EXPECT_EQ(facts[0].bytes, 24u);
  EXPECT_EQ(facts[1].inputs, std::vector<std::string>{"int32 [3]"});
  EXPECT_EQ(facts[1].outputs, std::vector<std::string>{"int32 [...]"});
  EXPECT_EQ(facts[1].bytes, std::nullopt);
}

}  // namespace

}  // namespace opsrun::host
