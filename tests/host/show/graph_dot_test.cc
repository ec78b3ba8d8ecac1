// tests/host/show/graph_dot_test.cc: what no graph on this machine shows. The others are in tests/graphs.
// SPDX-License-Identifier: Apache-2.0
#include "host/show/graph_dot.h"

#include <gtest/gtest.h>

#include "host/graph/read_graph.h"

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

TEST_F(GraphDotTest, NamesTheDevicesWhereThereAreSeveral) {
  devices_ = {"cpu", "gpu:0"};
  const std::string dot = Dot(kTwoNodes);
  EXPECT_TRUE(Has(dot, "\"legend.0\"")) << dot;
  EXPECT_TRUE(Has(dot, ">cpu<") && Has(dot, ">gpu:0<")) << dot;
}

TEST_F(GraphDotTest, HasNoLegendForOneDevice) {
  devices_ = {"cpu", "cpu"};
  EXPECT_FALSE(Has(Dot(kTwoNodes), "legend"));
}

TEST_F(GraphDotTest, GoesSidewaysWhereManyNodesStandSideBySide) {
  std::string yaml = "nodes:\n";
  for (int i = 0; i < 12; ++i) yaml += "  n" + std::to_string(i) + ": {op: A}\n";
  EXPECT_TRUE(Has(Dot(yaml), "rankdir=LR"));
}

TEST_F(GraphDotTest, GoesDownOtherwise) {
  EXPECT_TRUE(Has(Dot(kTwoNodes), "rankdir=TB"));
  EXPECT_TRUE(Has(Dot(""), "rankdir=TB")) << "also of nothing";
}

TEST_F(GraphDotTest, CallsANodeOfALongNameByItsNumber) {
  const std::string name(1000, 'n');
  const std::string dot = Dot("nodes:\n  " + name + ": {op: A}\n");
  EXPECT_TRUE(Has(dot, "\"node.0\"")) << dot;
  EXPECT_LT(dot.size(), 2000u);
}

TEST_F(GraphDotTest, GivesEachMistakeToItsNode) {
  Dot(kTwoNodes);
  Diagnostic& error = diagnostics_.Error("G201", "no <op>");
  error.where = graph_.nodes[1].op.span;
  diagnostics_.Error("P301", "a plugin is missing");
  const std::string dot = GraphDot(graph_, resolution_, diagnostics_);
  EXPECT_TRUE(Has(dot, "<b>G201</b> no &lt;op&gt;")) << dot;
  EXPECT_TRUE(Has(dot, "\"mistakes.0\"")) << dot;
  EXPECT_TRUE(Has(dot, "a plugin is missing")) << dot;
}

TEST(DotId, KeepsQuotesAndBackslashesInside) {
  EXPECT_EQ(DotId("x"), "\"x\"");
  EXPECT_EQ(DotId("a\"; b [\\N]"), "\"a\\\"; b [\\\\N]\"");
}

TEST(DotId, ShowsWhatCannotBeShownAsOneCharacter) {
  EXPECT_EQ(DotId("a\nb\xFF"), "\"a\uFFFDb\uFFFD\"");
}

TEST(CutText, CountsCharactersNotBytes) {
  EXPECT_EQ(CutText("äöü", 3), "äöü");
  EXPECT_EQ(CutText("äöüß", 3), "äö…");
  EXPECT_EQ(CutText("", 3), "");
}

TEST(CutText, LetsNothingTurnTheWritingAround) {
  EXPECT_EQ(CutText("a\u202Eb", 9), "a\uFFFDb");
}

TEST(HtmlText, LeavesNoMarkup) {
  EXPECT_EQ(HtmlText("<b> & \"c\""), "&lt;b&gt; &amp; &quot;c&quot;");
}

TEST(HtmlLines, BreakAtBlanks) {
  EXPECT_EQ(HtmlLines("one two three four", 9, 4), "one two<br/>three<br/>four<br/>");
  EXPECT_EQ(HtmlLines("abcdefghijkl", 5, 4), "abcde<br/>fghij<br/>kl<br/>");
}

TEST(HtmlLines, EndWithAnEllipsisWhereThereIsMore) {
  EXPECT_EQ(HtmlLines("abcdefghijkl", 5, 2), "abcde<br/>fghi…<br/>");
}

TEST(HtmlLines, CutNoEntity) {
  EXPECT_EQ(HtmlLines("<<<<", 2, 2), "&lt;&lt;<br/>&lt;&lt;<br/>");
}

}  // namespace

}  // namespace opsrun::host
