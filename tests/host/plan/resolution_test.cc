// tests/host/plan/resolution_test.cc: what planning tells, also of a graph with mistakes.
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/resolution.h"

#include <gtest/gtest.h>

#include "host/base/diagnostic.h"
#include "host/plan/explain/no_op.h"
#include "tests/host/plan/in_process_ops.h"
#include "tests/host/plan/plan_table.h"

namespace opsrun::host {
namespace {

TEST(UnknownName, CountsInLetters) {
  EXPECT_EQ(UnknownName(0), "?");
  EXPECT_EQ(UnknownName(1), "?a");
  EXPECT_EQ(UnknownName(26), "?z");
  EXPECT_EQ(UnknownName(27), "?aa");
  EXPECT_EQ(UnknownName(26 * 27 + 1), "?aaa");
}

TEST(ResolvedShapeText, NamesWhatSeveralShare) {
  EXPECT_EQ(ResolvedShapeText({false, {}}), "?");
  EXPECT_EQ(ResolvedShapeText({true, {}}), "[]");
  EXPECT_EQ(ResolvedShapeText({true, {{-1, 2}, {3, 0}, {-1, 0}}}), "[?b, 3, ?]");
}

TEST(Resolution, KeepsWhatIsKnownBesideAMistake) {
  InProcessOps ops;
  Resolution resolution;
  ops.resolution = &resolution;
  ops.Add({.name = "Same", .inputs = {"x: T"}, .outputs = {"y: T"}, .attrs = {"T: type"}}, SameShape, ComputeNothing);
  ASSERT_EQ(ops.Make("feeds: {x: {dtype: int32, shape: [-1, 3]}}\n"
                     "nodes:\n  a: {op: Same, in: x}\n  b: {op: Sane, in: a}\n  c: {op: Same, in: b}\n"
                     "outputs: [a]\n",
                     PlanTable()),
            nullptr);
  ASSERT_EQ(resolution.nodes.size(), 3u);
  EXPECT_NE(resolution.nodes[0].kernel, nullptr);
  EXPECT_EQ(resolution.nodes[1].op, nullptr);
  EXPECT_NE(resolution.nodes[2].op, nullptr);
  EXPECT_FALSE(resolution.nodes[2].signature.has_value());
  const ResolvedValue& a = resolution.values[resolution.nodes[0].first_output];
  EXPECT_EQ(ResolvedShapeText(a.shape), "[?a, 3]");
  ASSERT_EQ(resolution.unknowns.size(), 1u);
  EXPECT_EQ(resolution.unknowns[0].value, resolution.feed_values[0]);
}

TEST(ValueNames, AreThoseOfReferences) {
  InProcessOps ops;
  Resolution resolution;
  ops.resolution = &resolution;
  ops.Add({.name = "Two", .inputs = {"x: int32"}, .outputs = {"p: int32", "qs: N * int32"}, .attrs = {"N: int = 2"}},
          nullptr, ComputeNothing);
  const Plan* plan =
      ops.Make("feeds: {x: {value: 1, dtype: int32}}\nnodes: {n: {op: Two, in: x}}\noutputs: [n.p]\n", PlanTable());
  ASSERT_NE(plan, nullptr) << ops.Found();
  EXPECT_EQ(ValueNames(resolution, plan->graph()), (std::vector<std::string>{"x", "n.p", "n.qs.0", "n.qs.1"}));
}

Catalog WithRefused(size_t usable, size_t refused) {
  Catalog catalog;
  catalog.entries.resize(usable + refused);
  for (size_t i = 0; i < refused; ++i) {
    catalog.entries[i].refusal = Refusal{"built for another machine", "build it"};
    catalog.entries[i].note.ops.emplace_back("Other");
  }
  return catalog;
}

TEST(NoOp, MentionsPluginsThatMightHaveHadIt) {
  const auto notes = [](size_t usable, size_t refused) {
    return NoOp("Absent", nullptr, WithRefused(usable, refused), true).notes.size();
  };
  EXPECT_EQ(notes(0, 0), 1u) << "there is no plugin at all";
  EXPECT_EQ(notes(1, 0), 0u);
  EXPECT_EQ(notes(1, 1), 1u);
  EXPECT_EQ(notes(0, 2), 1u);
  EXPECT_TRUE(NoOp("Absent", nullptr, WithRefused(1, 1), false).notes.empty());
}

}  // namespace
}  // namespace opsrun::host
