// tests/host/graph/read_graph_test.cc: the file as a whole, nodes and outputs.
// SPDX-License-Identifier: Apache-2.0
#include "host/graph/read_graph.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "tests/host/graph/read_text.h"

namespace opsrun::host {
namespace {

Lines Errors(const std::string& text) {
  return ReadText(text).Errors();
}
Lines NodeErrors(const std::string& node) {
  return Errors("opsrun: 1\nnodes:\n  z: " + node + "\n");
}
Lines OutputErrors(const std::string& outputs) {
  return Errors("opsrun: 1\noutputs: " + outputs + "\n");
}

TEST(ReadGraph, ReadsNodes) {
  const ReadText read(
      "opsrun: 1\nname: blend\ndescription: mixes\nx-anything: [1]\nnodes:\n  mix:\n    op: acme.images.Blend\n"
      "    in: {image: sum, weights: [k.out, parts.p.2]}\n    attrs: {gain: 0.5}\n    after: [a, b]\n    x-note: 1\n  "
      "s: {op: Src}\n");
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
  const ReadText read("opsrun: 1\nnodes:\n  a: {op: A, in: x}\n  b: {op: B, in: [x, [y, z], w.o], after: a}\n");
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
  const ReadText list("opsrun: 1\noutputs: [z, w.zeroed]\n");
  ASSERT_EQ(list.graph->outputs.size(), 2u);
  EXPECT_EQ(list.graph->outputs[1].name.value, "w.zeroed");
  EXPECT_TRUE(list.graph->outputs[1].print);
  const ReadText map(
      "opsrun: 1\noutputs:\n  a: z\n  b: {from: z.o.1, npy: b.npy}\n  c: {from: z, npy: c.npy, print: true}\n");
  EXPECT_EQ(map.Errors(), Lines{});
  const std::vector<GraphOutput>& outputs = map.graph->outputs;
  EXPECT_EQ(outputs[0].from.name, "z");
  EXPECT_EQ(outputs[1].from.index, 1);
  EXPECT_EQ(outputs[1].npy->value, "b.npy");
  EXPECT_FALSE(outputs[1].print);
  EXPECT_TRUE(outputs[2].print);
}

TEST(ReadGraph, WantsAMapThatSaysItsFormat) {
  EXPECT_EQ(Errors("- 1\n"), Lines{"1:1-4 G105 a graph file must be a map, found a list; begin with 'opsrun: 1'"});
  EXPECT_EQ(Errors("nodes: {}\n"),
            Lines{"1:1-6 G101 this graph does not say 'opsrun: 1'; begin the file with 'opsrun: 1'"});
  EXPECT_EQ(Errors("opsrun: \"1\"\n"),
            Lines{"1:9-12 G101 'opsrun' must be the number 1, found the text '1'; write 'opsrun: 1', with no quotes "
                  "around the 1"});
  const ReadText later("opsrun: 2\nnodes: []\n");
  EXPECT_EQ(later.Errors(),
            Lines{"1:9-10 G101 this graph is of format 2; this version of opsrun reads format 1; use a newer opsrun"});
  EXPECT_FALSE(later.graph.has_value());
}

TEST(ReadGraph, RefusesUnknownKeysWithNearNamesOrAllAllowedOnes) {
  EXPECT_EQ(Errors("opsrun: 1\nnode: {}\n"), Lines{"2:1-5 G102 unknown key 'node' in a graph; did you mean 'nodes'?"});
  const ReadText near("opsrun: 1\nnodes:\n  z:\n    op: A\n    devcie: gpu\n");
  EXPECT_EQ(near.Errors(), Lines{"5:5-11 G102 unknown key 'devcie' in a node; did you mean 'device'?"});
  EXPECT_EQ(near.graph->nodes.size(), 1u);
  EXPECT_EQ(NodeErrors("{op: A, wibble: 1}"),
            Lines{"3:14-20 G102 unknown key 'wibble' in a node; a node takes: op, in, attrs, after, label, device, "
                  "stop_gradient, gradient_of, description"});
  EXPECT_EQ(OutputErrors("{a: {from: z, wibble: 1}}"),
            Lines{"2:24-30 G102 unknown key 'wibble' in an output; an output takes: from, npy, npz, key, print"});
}

TEST(ReadGraph, SaysWhichKeysComeLater) {
  EXPECT_EQ(Errors("opsrun: 1\nparams: {}\ndefaults: {}\n"),
            (Lines{"2:1-7 G104 'params' in a graph is not supported by this version of opsrun; leave it out",
                   "3:1-9 G104 'defaults' in a graph is not supported by this version of opsrun; leave it out"}));
}

TEST(ReadGraph, RefusesValuesOfTheWrongKind) {
  EXPECT_EQ(
      Errors("opsrun: 1\nname: [1]\nfeeds: 1\nnodes: [1]\noutputs: z\n"),
      (Lines{
          "2:7-10 G105 'name' must be a single value, found a list; write a text",
          "3:8-9 G105 'feeds' must be a map, found an integer '1'; write each feed as NAME: {value: ..., dtype: ...}",
          "4:8-11 G105 'nodes' must be a map, found a list; write each node as NAME: {op: OP, in: ...}",
          "5:10-11 G105 'outputs' must be a map, found a string 'z'; write a list of references, or a map NAME: "
          "REFERENCE"}));
  EXPECT_EQ(NodeErrors("ZeroOut"),
            Lines{"3:6-13 G105 node 'z' must be a map, found a string 'ZeroOut'; write z: {op: OP, in: ...}"});
  EXPECT_EQ(NodeErrors("{op: [A]}"),
            Lines{"3:11-14 G105 'op' must be a string, found a list; write the name of an op"});
  EXPECT_EQ(NodeErrors("{op: ''}"),
            Lines{"3:11-13 G105 'op' must be a string, found an empty string; write the name of an op"});
  EXPECT_EQ(NodeErrors("{op: A, attrs: [1]}"),
            Lines{"3:21-24 G105 'attrs' must be a map, found a list; write attrs: {NAME: VALUE}"});
  EXPECT_EQ(NodeErrors("{op: A, in: ~}"),
            Lines{"3:18-19 G105 'in' holds nothing; leave it out for an op without inputs"});
  EXPECT_EQ(OutputErrors("{a: {from: z, print: 'true'}}"),
            Lines{"2:31-37 G105 'print' must be true or false, found a string; write true or false, without quotes"});
  EXPECT_EQ(OutputErrors("{a: {from: z, npy: 1}}"),
            Lines{"2:29-30 G105 'npy' must be a string, found an integer '1'; write the path of the file"});
}

TEST(ReadGraph, RefusesMissingKeys) {
  EXPECT_EQ(NodeErrors("{in: x}"),
            Lines{"3:3-4 G106 node 'z' has no 'op'; add 'op: NAME'; 'opsrun ops' lists the names"});
  EXPECT_EQ(OutputErrors("{a: {npy: f.npy}}"),
            Lines{"2:11-12 G106 output 'a' has no 'from'; add 'from: NODE' or 'from: NODE.OUTPUT'"});
}

TEST(ReadGraph, RefusesNamesThatReferencesCouldNotHold) {
  const std::string help = "; a name begins with a letter or '_' and goes on with letters, digits, '_' and '-'";
  EXPECT_EQ(Errors("opsrun: 1\nnodes: {a.b: {op: A}, 1a: {op: A}, a-1_: {op: A}}\n"),
            (Lines{"2:9-12 G107 'a.b' cannot name a node" + help, "2:23-25 G107 '1a' cannot name a node" + help}));
  EXPECT_EQ(Errors("opsrun: 1\nfeeds: {'a b': {fill: 1, shape: []}}\n"),
            Lines{"2:9-14 G107 'a b' cannot name a feed" + help});
  EXPECT_EQ(OutputErrors("{\"a\\e\": z}"), Lines{"2:11-16 G107 'a\\x1b' cannot name an output" + help});
}

TEST(ReadGraph, RefusesWhatIsNoReference) {
  const auto refused = [](const std::string& span, const std::string& found) {
    return span + " G108 expected a reference to a feed or a node, found " + found +
           "; write 'NAME', 'NODE.OUTPUT' or 'NODE.OUTPUT.INDEX'";
  };
  EXPECT_EQ(OutputErrors("[a..b, 5, a.b.c, a.b.1.2, [x], 'a b', a.b.-1]"),
            (Lines{refused("2:11-15", "'a..b'"), refused("2:17-18", "an integer '5'"), refused("2:20-25", "'a.b.c'"),
                   refused("2:27-34", "'a.b.1.2'"), refused("2:36-39", "a list"), refused("2:41-46", "'a b'"),
                   refused("2:48-54", "'a.b.-1'")}));
  EXPECT_EQ(OutputErrors("[parts.0]"), Lines{"2:11-18 G108 expected a reference to a feed or a node, found 'parts.0'; "
                                             "name the output too: 'parts.OUTPUT.0'"});
  EXPECT_EQ(
      NodeErrors("{op: A, after: [b.c, {d: 1}]}"),
      (Lines{"3:22-25 G108 'after' takes names of nodes, found 'b.c'; write after: NODE or after: [NODE, NODE]",
             "3:27-33 G108 'after' takes names of nodes, found a map; write after: NODE or after: [NODE, NODE]"}));
}

TEST(ReadGraph, RefusesANodeWithTheNameOfAFeed) {
  const ReadText read("opsrun: 1\nfeeds:\n  x: {fill: 1, shape: []}\nnodes:\n  x: {op: A}\n");
  EXPECT_EQ(read.Errors(), Lines{"5:3-4 G103 node 'x' has the name of a feed; rename one of them"});
  EXPECT_EQ(PlaceText(read.diagnostics.all()[0].also[0].span), "3:3-4");
}

TEST(ReadGraph, RefusesOutputsThatMeet) {
  EXPECT_EQ(OutputErrors("[z, w, z]"), Lines{"2:17-18 G103 output 'z' is defined twice; remove or rename one of them"});
  EXPECT_EQ(OutputErrors("{a: {from: z, npy: f.npy}, b: {from: w, npy: f.npy}}"),
            Lines{"2:55-60 G109 two outputs write 'f.npy'; remove or rename one of them"});
  EXPECT_EQ(OutputErrors("{a: {from: z, npy: f.npy}, b: {from: w, npy: d/.././f.npy}}"),
            Lines{"2:55-67 G109 two outputs write 'd/.././f.npy'; remove or rename one of them"});
}

TEST(ReadGraph, LeavesOutWhatHasMistakesAndGoesOn) {
  const ReadText read("opsrun: 1\nfeeds:\n  f: {value: x}\nnodes:\n  a: {in: x}\n  b: {op: B}\noutputs: [5, b]\n");
  EXPECT_EQ(read.Errors().size(), 3u);
  EXPECT_EQ(read.graph->nodes.size(), 1u);
  EXPECT_EQ(read.graph->outputs.size(), 1u);
  EXPECT_EQ(read.graph->left_out, (Lines{"f", "a"}));
}

TEST(ReadSource, ReadsAFileWithoutItsByteOrderMark) {
  char folder[] = "/tmp/opsrun_graph_XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string path = std::string(folder) + "/g.yaml";
  std::ofstream(path) << "\xef\xbb\xbfopsrun: 1\n";
  const Result<std::shared_ptr<const SourceFile>> source = ReadSource(path);
  ASSERT_TRUE(source.ok());
  EXPECT_EQ((*source)->text, "opsrun: 1\n");
  EXPECT_EQ((*source)->path, path);
  EXPECT_FALSE(ReadSource(std::string(folder) + "/none.yaml").ok());
  std::filesystem::remove_all(folder);
}

TEST(Graph, ResolvesPathsAgainstItsOwnFolder) {
  const auto resolve = [](const std::string& graph_file, const std::string& path) {
    Diagnostics diagnostics;
    return ReadGraph(std::make_shared<const SourceFile>(SourceFile{graph_file, "opsrun: 1\n"}), diagnostics)
        ->Resolve(path);
  };
  EXPECT_EQ(resolve("g.yaml", "a.npy"), "a.npy");
  EXPECT_EQ(resolve("sub/g.yaml", "data/a.npy"), "sub/data/a.npy");
  EXPECT_EQ(resolve("/g.yaml", "a.npy"), "/a.npy");
  EXPECT_EQ(resolve("sub/g.yaml", "/a.npy"), "/a.npy");
}

}  // namespace
}  // namespace opsrun::host
