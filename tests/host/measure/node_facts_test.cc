// tests/host/measure/node_facts_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/measure/node_facts.h"

#include <gtest/gtest.h>

#include "tests/host/plan/in_process_ops.h"
#include "tests/host/plan/plan_table.h"

namespace opsrun::host {
namespace {

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
