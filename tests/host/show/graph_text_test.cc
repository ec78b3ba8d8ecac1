// tests/host/show/graph_text_test.cc: pictures, what a plan says of memory, and the schema of ops, as far as no graph
// of tests/graphs and examples/graph.schema.json show it. tests/graphs/schema_test.py compares that, and tries it on
// graphs.
// SPDX-License-Identifier: Apache-2.0
#include "host/show/graph_text.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "host/graph/read_graph.h"
#include "host/show/graph_dot.h"
#include "host/spec/parse_op.h"

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
    return GraphDot(graph_, resolution_, diagnostics_, times_);
  }

  static bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

  Graph graph_;
  Resolution resolution_;
  Diagnostics diagnostics_;
  const RegisteredKernel kernel_;
  std::vector<std::string> devices_;  // that the first nodes run on
  const NodeTimes* times_ = nullptr;
};

constexpr char kTwoNodes[] = "nodes:\n  a: {op: A}\n  b: {op: B, in: a}\n";

TEST_F(GraphDotTest, HasALegendOfSeveralDevices) {
  devices_ = {"cpu", "cpu"};
  EXPECT_FALSE(Has(Dot(kTwoNodes), "legend"));
  devices_ = {"cpu", "gpu:0"};
  const std::string dot = Dot(kTwoNodes);
  EXPECT_TRUE(Has(dot, "\"legend.0\"") && Has(dot, ">cpu<") && Has(dot, ">gpu:0<")) << dot;
}

TEST_F(GraphDotTest, ShowsTimesAndWhatTheirColorsMean) {
  const NodeTimes times{{1e6, 9e6}, {0, 1}, 0, 10e6, 11e6};
  times_ = &times;
  const std::string dot = Dot(kTwoNodes);
  EXPECT_TRUE(Has(dot, ">1.00 ms, 10.0 %<") && Has(dot, ">9.00 ms, 90.0 %<")) << dot;
  EXPECT_TRUE(Has(dot, ">share of 10.0 ms<") && Has(dot, ">\u2265 50 %<")) << dot;
  for (const double share : {0.1, 0.9}) EXPECT_TRUE(Has(dot, std::string(HeatShade(share).fill))) << share;
  EXPECT_FALSE(Has(dot, std::string(kSmallWords))) << "gray text cannot be read on all shades";
}

TEST_F(GraphDotTest, ShowsDevicesAtTheBordersOfTimes) {
  const NodeTimes times{{1e6, 8e6}, {0, 1}, 1e6, 10e6, 11e6};
  devices_ = {"cpu", "gpu:0"};
  const std::string plain = Dot(kTwoNodes);
  times_ = &times;
  const std::string dot = Dot(kTwoNodes);
  EXPECT_TRUE(Has(dot, ">8.00 ms, 80.0 % on gpu:0<") && Has(dot, "copies between devices 1.00 ms<")) << dot;
  for (const char* line : {"color=\"#0072b2\"", "color=\"#b97d00\""}) EXPECT_TRUE(Has(plain, line) && Has(dot, line));
}

TEST(HeatShade, IsDarkerForMore) {
  EXPECT_EQ(HeatShade(0).fill, HeatShade(0.009).fill);
  EXPECT_NE(HeatShade(0.009).fill, HeatShade(0.01).fill);
  EXPECT_EQ(HeatShade(0.5).fill, HeatShade(1).fill);
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
      step.inputs = plan_.Keep({&reads, 1});
      plan_.values[reads].last_reader = s;
    }
    PlanValue value;
    value.dtype = DType::kUInt8;
    value.memory = PlanValue::Memory::kArena;
    value.sizes = plan_.Keep(Shape{blocks * 64});
    value.offset = offset;
    value.producer = s;
    const auto output = static_cast<uint32_t>(plan_.values.size());
    step.outputs = plan_.Keep({&output, 1});
    step.kind = reads == kNone ? &source_ : &kind_;
    plan_.values.push_back(value);
    return output;
  }

  StepKind source_, kind_;
  Plan plan_{std::make_shared<const Graph>()};
};

TEST_F(MemoryFactsTest, WhatIsTakenOverCountsOnce) {
  const uint32_t a = AddStep(4, 0);
  AddStep(4, 0, a);
  kind_.aliases = {{0, 0}};
  EXPECT_EQ(FactsOfMemory(plan_).lower_bound, 4u * 64);
}

TEST_F(MemoryFactsTest, ThePeakIsTheFirstStepThatNeedsMost) {
  const uint32_t a = AddStep(1, 0);
  const uint32_t b = AddStep(4, 64, a);
  AddStep(1, 0, b);
  EXPECT_EQ(FactsOfMemory(plan_).lower_bound, 5u * 64);
  EXPECT_EQ(FactsOfMemory(plan_).peak_step, 1u);
}

TEST_F(MemoryFactsTest, AResultExistsToTheEnd) {
  const uint32_t a = AddStep(1, 0);
  plan_.values[a].kept = true;
  const uint32_t b = AddStep(1, 64);
  AddStep(1, 128, b);
  EXPECT_EQ(LifetimeOf(plan_, a).last, 2u);
  EXPECT_EQ(FactsOfMemory(plan_).lower_bound, 3u * 64);
}

// Plugins in one place, and the schema of all their ops, which are added by name.
class Plugins {
 public:
  void Add(const std::string& name, std::vector<spec::OpStrings> ops, const std::string& label = "") {
    CatalogEntry& entry = catalog_.entries.emplace_back();
    entry.path = name + ".so";
    entry.note.name = name;
    Plugin& plugin = *opened_.emplace_back(std::make_shared<Plugin>());
    plugin.name = name;
    for (const spec::OpStrings& strings : ops) {
      entry.note.ops.push_back(strings.name);
      RegisteredOp& op = plugin.ops.emplace_back();
      op.plugin = &plugin;
      const std::vector<spec::SpecError> errors = spec::ParseOp(strings, &op.def);
      EXPECT_TRUE(errors.empty()) << spec::SpecErrorsText(strings.name, errors);
      RegisteredKernel& kernel = plugin.kernels.emplace_back();
      kernel.def.op = strings.name;
      kernel.def.label = label;
    }
  }

  std::string Text() {
    RegistryBuilder builder(catalog_);
    for (size_t i = 0; i < opened_.size(); ++i) builder.Add(i, opened_[i]);
    return GraphSchema(builder.Finish());
  }

 private:
  Catalog catalog_;
  std::vector<std::shared_ptr<Plugin>> opened_;
};

spec::OpStrings Op(const std::string& name, std::vector<std::string> inputs = {}, std::vector<std::string> attrs = {}) {
  spec::OpStrings strings;
  strings.name = name;
  strings.inputs = std::move(inputs);
  strings.attrs = std::move(attrs);
  strings.outputs = {"y: int32"};
  return strings;
}

// The definition of one op of plugin "p".
Json DefinitionOf(const spec::OpStrings& op, const std::string& label = "") {
  Plugins plugins;
  plugins.Add("p", {op}, label);
  return Json::parse(plugins.Text())["definitions"]["op.p." + op.name];
}

std::vector<std::string> OfferedOps(const Json& schema) {
  return schema["definitions"]["node"]["properties"]["op"]["anyOf"][0]["enum"];
}

TEST(GraphSchema, KnowsNumbersOfListsAndNoDefaultsWithoutAWordInJson) {
  const Json keys = DefinitionOf(Op("Blend", {},
                                    {"gains: list(float) >= 2", "to: shape = {unknown_rank: true}",
                                     "far: float = inf"}))["properties"]["attrs"]["properties"];
  EXPECT_EQ(keys["gains"]["items"]["type"], "number");
  EXPECT_FALSE(keys["to"].contains("default"));
  EXPECT_FALSE(keys["far"].contains("default"));
}

TEST(GraphSchema, SaysThatAnOpIsDeprecatedAndOffersLabels) {
  spec::OpStrings old = Op("Old");
  old.deprecated_version = 3;
  old.deprecated_text = "use New";
  EXPECT_EQ(DefinitionOf(old)["properties"]["op"]["deprecationMessage"], "deprecated: use New");
  EXPECT_EQ(DefinitionOf(old, "fast")["properties"]["label"]["enum"], Json{"fast"});
  EXPECT_EQ(DefinitionOf(old)["properties"]["label"], false);
}

TEST(GraphSchema, OffersWhatGraphsCanUseWithThePluginWhereTwoHaveIt) {
  Plugins plugins;
  plugins.Add("a", {Op("Mine"), Op("Same"), Op("Variable", {"ref: Ref(int32)"})});
  plugins.Add("b", {Op("Same")});
  EXPECT_EQ(OfferedOps(Json::parse(plugins.Text())), (std::vector<std::string>{"Mine", "a.Same", "b.Same"}));
}

TEST(GraphSchema, IsWholeWhateverPluginsSay) {
  Plugins plugins;
  spec::OpStrings op = Op("Odd", {"x: int32"});
  op.doc = "A \"quote\", a \\ and \xFF\xFE.\n\nx: </script>\x01";
  plugins.Add("a~b/c \"d", {op});
  plugins.Add("a~b/c 'd", {Op("Odd2")});
  const Json schema = Json::parse(plugins.Text());
  EXPECT_TRUE(schema["definitions"].contains("op.a_b_c__d.Odd"));
  EXPECT_NE(
      schema["definitions"]["op.a_b_c__d.Odd"]["properties"]["op"]["description"].get<std::string>().find("quote"),
      std::string::npos);
}

TEST(GraphSchema, TakesALineForEachOfAThousandOps) {
  Plugins none, many;
  std::vector<spec::OpStrings> ops;
  for (int i = 0; i < 1000; ++i)
    ops.push_back(Op("Op" + std::to_string(i), {"x: T"}, {"T: realnumbertype", "n: int = 1"}));
  many.Add("p", ops);
  const std::string few = none.Text(), text = many.Text();
  const auto lines = [](const std::string& of) { return std::count(of.begin(), of.end(), '\n'); };
  EXPECT_LT(lines(text) - lines(few), 1100);
  EXPECT_LT(text.size(), size_t{2} << 20);
  const Json schema = Json::parse(text);
  EXPECT_EQ(OfferedOps(schema).size(), 1000u);
  EXPECT_LT(schema["definitions"]["node.by_op"]["allOf"].size(), 40u) << "so many conditions are looked at for a node";
  EXPECT_TRUE(schema["definitions"].contains("node.by_op.32"));
}

}  // namespace

}  // namespace opsrun::host
