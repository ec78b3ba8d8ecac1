// tests/host/graph/read_graph_test.cc: the file as a whole, nodes and outputs; the graph that an op declares as its
// gradient.
// SPDX-License-Identifier: Apache-2.0
#include "host/graph/read_graph.h"

#include "host/yaml/value.h"
#include "tests/host/examine/temp_dir.h"
#include "tests/host/graph/read_text.h"

namespace opsrun::host {
namespace {

constexpr const char *kNode = "opsrun: 1\nnodes:\n  z: ", *kOutputs = "opsrun: 1\noutputs: ";

TEST(ReadGraph, ReadsNodes) {
  const ReadGraphText read(R"(opsrun: 1
name: blend
description: mixes
x-anything: [1]
nodes:
  mix:
    op: acme.images.Blend
    in: {image: sum, weights: [k.out, parts.p.2]}
    attrs: {gain: 0.5}
    after: [a, b]
    x-note: 1
  s: {op: Src}
)");
  EXPECT_EQ(read.Errors(), Lines{});
  ASSERT_EQ(read.graph->nodes.size(), 2u);
  const Node& mix = read.graph->nodes[0];
  EXPECT_EQ(mix.name.value, "mix");
  EXPECT_EQ(mix.op.value, "acme.images.Blend");
  ASSERT_EQ(mix.inputs.size(), 2u);
  EXPECT_EQ(mix.inputs[0].arg.value, "image");
  EXPECT_FALSE(mix.inputs[0].list);
  EXPECT_EQ(mix.inputs[0].from[0].name, "sum");
  EXPECT_TRUE(mix.inputs[1].list);
  EXPECT_EQ(mix.inputs[1].from[0].output, "out");
  EXPECT_EQ(mix.inputs[1].from[1].index, 2);
  EXPECT_EQ(mix.attrs[0].value.text, "0.5");
  EXPECT_EQ(mix.after[1].value, "b");
  EXPECT_EQ(PlaceText(mix.op.span), "7:9-26");
  EXPECT_EQ(PlaceText(mix.inputs_span), "8:9-50");
  EXPECT_EQ(PlaceText(mix.inputs[1].from[1].span), "8:39-48");
}

TEST(ReadGraph, ReadsInputsByPosition) {
  const ReadGraphText read("opsrun: 1\nnodes:\n  a: {op: A, in: x}\n  b: {op: B, in: [x, [y, z], w.o], after: a}\n");
  EXPECT_EQ(read.Errors(), Lines{});
  EXPECT_EQ(read.graph->nodes[0].inputs[0].from[0].name, "x");
  const Node& b = read.graph->nodes[1];
  ASSERT_EQ(b.inputs.size(), 3u);
  EXPECT_TRUE(b.inputs[0].arg.value.empty());
  EXPECT_TRUE(b.inputs[1].list);
  EXPECT_EQ(b.inputs[1].from.size(), 2u);
  EXPECT_EQ(b.inputs[2].from[0].output, "o");
  EXPECT_EQ(b.after[0].value, "a");
}

TEST(ReadGraph, ReadsOutputsAsAListOrAMap) {
  const ReadGraphText list("opsrun: 1\noutputs: [z, w.zeroed]\n");
  ASSERT_EQ(list.graph->outputs.size(), 2u);
  EXPECT_EQ(list.graph->outputs[1].name.value, "w.zeroed");
  EXPECT_TRUE(list.graph->outputs[1].print);
  const ReadGraphText map(
      "opsrun: 1\noutputs:\n  a: z\n  b: {from: z.o.1, npy: b.npy}\n  c: {from: z, npy: c.npy, print: true}\n");
  EXPECT_EQ(map.Errors(), Lines{});
  const std::vector<GraphOutput>& outputs = map.graph->outputs;
  EXPECT_EQ(outputs[0].from.name, "z");
  EXPECT_EQ(outputs[1].from.index, 1);
  EXPECT_EQ(outputs[1].npy->value, "b.npy");
  EXPECT_FALSE(outputs[1].print);
  EXPECT_TRUE(outputs[2].print);
}

TEST(ReadGraph, RefusesMissingKeysInvalidNamesAndOutputsThatMeet) {
  ExpectPlaces(kNode, {{"{in: x}", "3:3-4 G106"}});
  ExpectErrors(kOutputs, {{"{a: {npy: f.npy}}",
                           "2:11-12 G106 output 'a' has no 'from'; add 'from: NODE' or 'from: NODE.OUTPUT'"}});
  ExpectErrors(
      kOutputs,
      {{"{\"a\\e\": z}",
        "2:11-16 G107 'a\\x1b' is not a valid name for an output; a name starts with a letter or '_', followed by "
        "letters, digits, '_' and '-'"}});
  ExpectErrors(kOutputs, {{"[z, w, z]", "2:17-18 G103 output 'z' is defined twice; remove or rename one of them"}});
  ExpectPlaces(kOutputs, {{"{a: {from: z, npy: f.npy}, b: {from: w, npy: d/.././f.npy}}", "2:55-67 G109"}});
}

TEST(ReadGraph, RefusesValuesOfTheWrongKind) {
  EXPECT_EQ(
      ReadGraphText("opsrun: 1\nname: [1]\nfeeds: 1\nnodes: [1]\noutputs: z\n").Errors(),
      (Lines{
          "2:7-10 G105 'name' must be a single value, found a list; write a text",
          "3:8-9 G105 'feeds' must be a map, found an integer '1'; write each feed as NAME: {value: ..., dtype: ...}",
          "4:8-11 G105 'nodes' must be a map, found a list; write each node as NAME: {op: OP, in: ...}",
          "5:10-11 G105 'outputs' must be a map, found a string 'z'; write a list of references, or a map NAME: "
          "REFERENCE"}));
  ExpectErrors(kOutputs, {{"{a: {from: z, print: 'true'}}",
                           "2:31-37 G105 'print' must be true or false, found a string; write true or false, without "
                           "quotes"}});
}

TEST(ReadGraph, RefusesWhatIsNoNode) {
  const ReadGraphText after(std::string(kNode) + "{op: A, after: [b.c, {d: 1}]}\n");
  const std::string help = "; write after: NODE or after: [NODE, NODE]";
  EXPECT_EQ(after.Errors(), (Lines{"3:22-25 G108 'after' takes node names, found 'b.c'" + help,
                                   "3:27-33 G108 'after' takes node names, found a map" + help}));
}

TEST(ReadGraph, LeavesOutWhatHasMistakesAndGoesOn) {
  const ReadGraphText read("opsrun: 1\nfeeds:\n  f: {value: x}\nnodes:\n  a: {in: x}\n  b: {op: B}\noutputs: [5, b]\n");
  EXPECT_EQ(read.Errors().size(), 3u);
  EXPECT_EQ(read.graph->nodes.size(), 1u);
  EXPECT_EQ(read.graph->outputs.size(), 1u);
  EXPECT_EQ(read.graph->left_out, (Lines{"f", "a"}));
}

TEST(ReadSource, ReadsAFileWithoutItsByteOrderMark) {
  const TempDir folder;
  const std::string path = folder.Write("g.yaml", "\xef\xbb\xbfopsrun: 1\n");
  const Result<std::shared_ptr<const SourceFile>> source = ReadSource(path);
  ASSERT_TRUE(source.ok());
  EXPECT_EQ((*source)->text, "opsrun: 1\n");
  EXPECT_EQ((*source)->path, path);
  EXPECT_FALSE(ReadSource(folder.File("none.yaml")).ok());
}

TEST(Graph, ResolvesPathsAgainstItsOwnFolder) {
  const auto resolve = [](const std::string& graph_file, const std::string& path) {
    Diagnostics diagnostics;
    return ReadGraph(std::make_shared<const SourceFile>(SourceFile{graph_file, "opsrun: 1\n"}), diagnostics)
        ->Resolve(path);
  };
  EXPECT_EQ(resolve("g.yaml", "a.npy"), "a.npy");
  EXPECT_EQ(resolve("sub/g.yaml", "data/a.npy"), "sub/data/a.npy");
  for (const char* graph_file : {"/g.yaml", "sub/g.yaml"}) EXPECT_EQ(resolve(graph_file, "/a.npy"), "/a.npy");
  EXPECT_EQ(resolve("/g.yaml", "a.npy"), "/a.npy");
}

struct ReadGradientText {
  explicit ReadGradientText(std::string text) {
    const auto source = std::make_shared<const SourceFile>(SourceFile{"gradient", std::move(text)});
    std::optional<Value> root = ReadYaml(*source, diagnostics);
    if (root) gradient = ReadGradient(*std::move(root), source, diagnostics);
  }

  Diagnostics diagnostics;
  std::optional<DeclaredGradient> gradient;
};

TEST(ReadGradient, ReadsConstantsNodesAndOutputs) {
  const ReadGradientText read(R"(
feeds:
  two: {value: 2, dtype: float32}
nodes:
  d: {op: Mul, each: [values, grad.y], in: [values, two]}
outputs: {values: d, axis: null, parts: [d.0, two]}
)");
  ASSERT_EQ(PlacesOf(read.diagnostics), "");
  const DeclaredGradient& gradient = *read.gradient;
  ASSERT_EQ(gradient.graph.feeds.size(), 1u);
  const Node& node = gradient.graph.nodes.at(0);
  ASSERT_EQ(node.each.size(), 2u);
  EXPECT_EQ(node.each[1].name, "grad");
  EXPECT_EQ(node.each[1].output, "y");
  ASSERT_EQ(gradient.outputs.size(), 3u);
  EXPECT_FALSE(gradient.outputs[0].list);
  EXPECT_TRUE(gradient.outputs[1].null);
  EXPECT_TRUE(gradient.outputs[2].list);
  EXPECT_EQ(gradient.outputs[2].from[0].name, "d");
  EXPECT_EQ(gradient.outputs[2].from[0].index, 0);
}

TEST(ReadGradient, RefusesWhatIsNoGradient) {
  std::string thousand_and_one = "outputs: {}\nnodes:\n";
  for (int i = 0; i < 1001; ++i) thousand_and_one += "  n" + std::to_string(i) + ": {op: A}\n";
  for (const auto& [text, error] :
       {std::pair("nodes: {}", "1:1-6 G106"), std::pair("outputs: [x]", "1:10-13 G105"), std::pair("- x", "1:1-4 G105"),
        std::pair("outputs: {x: y}\nchecks: []", "2:1-7 G102"), std::pair("outputs: {x: 'y z'}", "1:14-19 G108"),
        // Feeds that are not constant.
        std::pair("feeds:\n  a: {dtype: float32}\noutputs: {}", "2:6-22 F101"),
        std::pair("feeds:\n  a: {npy: a.npy}\noutputs: {}", "2:6-18 F101"),
        // Keys of graphs alone.
        std::pair("nodes:\n  a: {op: A, gradient_of: b}\noutputs: {}", "2:14-25 G102"),
        std::pair("nodes:\n  a: {op: A, stop_gradient: true}\noutputs: {}", "2:14-27 G102"),
        std::pair(thousand_and_one.c_str(), "1003:3-8 G302")})
    EXPECT_EQ(PlacesOf(ReadGradientText(text).diagnostics), error) << std::string(text).substr(0, 100);
}

bool Holds(const std::string& range, const std::string& version) {
  RangeMistake mistake;
  const std::optional<VersionRange> parsed = ParseVersionRange(range, &mistake);
  EXPECT_TRUE(parsed) << mistake.message;
  return parsed && parsed->Holds(*ParseVersion(version));
}

std::string MistakeIn(const std::string& range) {
  RangeMistake mistake;
  EXPECT_FALSE(ParseVersionRange(range, &mistake)) << range;
  return std::to_string(mistake.begin) + "-" + std::to_string(mistake.end) + " " + mistake.message;
}

TEST(VersionRange, ComparesNumbersAndWantsAllOfItsBounds) {
  EXPECT_TRUE(Holds("> 1.9", "1.10"));
  EXPECT_TRUE(Holds("< 10", "9.9.9"));
  EXPECT_FALSE(Holds("> 1.2", "1.2.0"));
  EXPECT_TRUE(Holds(">= 1.2", "1.2.0.0"));
  EXPECT_TRUE(Holds("1.2", "1.2.0"));
  EXPECT_FALSE(Holds("1.2", "1.2.1"));
  for (const char* version : {"1.2", "1.2.7", "1.9"}) EXPECT_TRUE(Holds(">=1.2,<2,!=1.3", version)) << version;
  for (const char* version : {"1.1.9", "2", "1.3.0"}) EXPECT_FALSE(Holds(">= 1.2 , < 2 , != 1.3", version)) << version;
  EXPECT_TRUE(Holds("<= 2, > 1, == 1.5", "1.5"));
  EXPECT_TRUE(Holds(" * ", "0"));
}

TEST(VersionRange, SaysWhereAMistakeIs) {
  EXPECT_EQ(MistakeIn(""), "0-1 missing version");
  EXPECT_EQ(MistakeIn("1.2, "), "5-6 missing version");
  EXPECT_EQ(MistakeIn(">= 1.2, < two"), "10-13 'two' does not begin with an operator or a version");
  EXPECT_EQ(MistakeIn("1.2-rc"), "0-6 '1.2-rc' is not a version");
  EXPECT_EQ(MistakeIn("1..2"), "0-4 '1..2' is not a version");
  EXPECT_EQ(MistakeIn("1234567890123456789"), "0-19 '1234567890123456789' is not a version");
}

}  // namespace

}  // namespace opsrun::host
