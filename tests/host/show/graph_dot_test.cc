// tests/host/show/graph_dot_test.cc: pictures, and what a plan says of memory, as far as no graph of tests/graphs shows
// it.
// SPDX-License-Identifier: Apache-2.0
#include "host/show/graph_dot.h"

#include <gtest/gtest.h>

#include "host/graph/read_graph.h"
#include "host/show/plan_facts.h"

namespace opsrun::host {
namespace {

// A graph that was read and not planned.
class GraphDotTest : public testing::Test {
 protected:
  std::string Dot(const std::string& yaml) {
    const auto source = std::make_shared<const SourceFile>(SourceFile{"dir/test.yaml", "opsrun: 1\n" + yaml});
    std::optional<Graph> graph = ReadGraph(source, diagnostics_);
    if (!graph) return "no graph";
    graph_ = *std::move(graph);
    resolution_ = {};
    resolution_.nodes.resize(graph_.nodes.size());
    for (size_t i = 0; i < devices_.size() && i < graph_.nodes.size(); ++i) {
      resolution_.nodes[i].kernel = &kernel_;
      resolution_.nodes[i].device = devices_[i];
    }
    for (uint32_t i = 0; i < graph_.nodes.size(); ++i) resolution_.order.push_back(i);
    return GraphDot(graph_, resolution_, diagnostics_);
  }

  static bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

  Graph graph_;
  Resolution resolution_;
  Diagnostics diagnostics_;
  const RegisteredKernel kernel_;
  std::vector<std::string> devices_;  // that the first nodes run on
};

constexpr char kTwoNodes[] = "nodes:\n  a: {op: A}\n  b: {op: B, in: a}\n";

TEST_F(GraphDotTest, HasALegendOfSeveralDevices) {
  devices_ = {"cpu", "cpu"};
  EXPECT_FALSE(Has(Dot(kTwoNodes), "legend"));
  devices_ = {"cpu", "gpu:0"};
  const std::string dot = Dot(kTwoNodes);
  EXPECT_TRUE(Has(dot, "\"legend.0\"") && Has(dot, ">cpu<") && Has(dot, ">gpu:0<")) << dot;
}

TEST_F(GraphDotTest, GoesSidewaysWhereManyNodesStandSideBySideAndNumbersLongNames) {
  std::string yaml = "nodes:\n";
  for (int i = 0; i < 12; ++i) yaml += "  n" + std::to_string(i) + ": {op: A}\n";
  EXPECT_TRUE(Has(Dot(yaml), "rankdir=LR"));
  EXPECT_TRUE(Has(Dot(""), "rankdir=TB"));
  const std::string name(1000, 'n');
  const std::string dot = Dot("nodes:\n  " + name + ": {op: A}\n");
  EXPECT_TRUE(Has(dot, "\"node.0\"")) << dot;
  EXPECT_LT(dot.size(), 2000u);
}

TEST(DotText, CannotEndEarly) {
  EXPECT_EQ(DotId("x"), "\"x\"");
  EXPECT_EQ(DotId("a\"; b [\\N]"), "\"a\\\"; b [\\\\N]\"");
  EXPECT_EQ(DotId("a\nb\xFF"), "\"a\uFFFDb\uFFFD\"");
  EXPECT_EQ(CutText("äöü", 3), "äöü");
  EXPECT_EQ(CutText("äöüß", 3), "äö…");
  EXPECT_EQ(CutText("a\u202Eb", 9), "a\uFFFDb") << "nothing turns the writing around";
  EXPECT_EQ(HtmlText("<b> & \"c\""), "&lt;b&gt; &amp; &quot;c&quot;");
}

TEST(HtmlLines, BreakAtSpacesAndCutNoEntity) {
  EXPECT_EQ(HtmlLines("one two three four", 9, 4), "one two<br/>three<br/>four<br/>");
  EXPECT_EQ(HtmlLines("abcdefghijkl", 5, 4), "abcde<br/>fghij<br/>kl<br/>");
  EXPECT_EQ(HtmlLines("abcdefghijkl", 5, 2), "abcde<br/>fghi…<br/>");
  EXPECT_EQ(HtmlLines("<<<<", 2, 2), "&lt;&lt;<br/>&lt;&lt;<br/>");
}

// Steps of no kernel: each makes a value of so many 64-byte blocks and reads one that was made before.
class MemoryFactsTest : public ::testing::Test {
 protected:
  static constexpr uint32_t kNone = PlanValue::kNone;

  uint32_t AddStep(int64_t blocks, size_t offset, uint32_t reads = kNone) {
    const auto s = static_cast<uint32_t>(plan_.steps.size());
    Step& step = plan_.steps.emplace_back();
    if (reads != kNone) {
      step.inputs = {reads};
      plan_.values[reads].last_reader = s;
    }
    PlanValue value;
    value.dtype = DType::kUInt8;
    value.memory = PlanValue::Memory::kArena;
    value.shape = {blocks * 64};
    value.offset = offset;
    value.producer = s;
    step.outputs = {static_cast<uint32_t>(plan_.values.size())};
    plan_.values.push_back(value);
    return step.outputs[0];
  }

  Plan plan_{std::make_shared<const Graph>()};
};

TEST_F(MemoryFactsTest, WhatIsTakenOverCountsOnce) {
  const uint32_t a = AddStep(4, 0);
  AddStep(4, 0, a);
  plan_.steps[1].aliases = {{0, 0}};
  EXPECT_EQ(FactsOfMemory(plan_).lower_bound, 4u * 64);
}

TEST_F(MemoryFactsTest, AResultExistsToTheEnd) {
  const uint32_t a = AddStep(1, 0);
  plan_.values[a].kept = true;
  const uint32_t b = AddStep(1, 64);
  AddStep(1, 128, b);
  EXPECT_EQ(LifetimeOf(plan_, a).last, 2u);
  EXPECT_EQ(FactsOfMemory(plan_).lower_bound, 3u * 64);
}

}  // namespace
}  // namespace opsrun::host
