// tests/host/graph/read_gradient_test.cc: the graph that an op declares as its gradient.
// SPDX-License-Identifier: Apache-2.0
#include "host/graph/read_gradient.h"

#include <gtest/gtest.h>

#include "host/yaml/read_yaml.h"
#include "tests/host/yaml/error_lines.h"

namespace opsrun::host {
namespace {

struct ReadGradientText {
  explicit ReadGradientText(std::string text) {
    const auto source = std::make_shared<const SourceFile>(SourceFile{"gradient", std::move(text)});
    std::optional<Value> root = ReadYaml(*source, diagnostics);
    if (root) gradient = ReadGradient(*std::move(root), source, diagnostics);
  }
  Lines Errors() const { return ErrorLines(diagnostics); }

  Diagnostics diagnostics;
  std::optional<DeclaredGradient> gradient;
};

// The code and place of the only error.
std::string PlaceOfError(const std::string& text) {
  const Lines errors = ReadGradientText(text).Errors();
  return errors.size() == 1 ? errors[0].substr(0, errors[0].find(' ', errors[0].find(' ') + 1)) : "";
}

TEST(ReadGradient, ReadsConstantsNodesAndOutputs) {
  const ReadGradientText read(
      "feeds:\n  two: {value: 2, dtype: float32}\nnodes:\n  d: {op: Mul, each: [values, grad.y], in: [values, two]}\n"
      "outputs: {values: d, axis: null, parts: [d.0, two]}\n");
  ASSERT_EQ(read.Errors(), Lines{});
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
  EXPECT_EQ(PlaceOfError("nodes: {}"), "1:1-6 G106");
  EXPECT_EQ(PlaceOfError("outputs: [x]"), "1:10-13 G105");
  EXPECT_EQ(PlaceOfError("- x"), "1:1-4 G105");
  EXPECT_EQ(PlaceOfError("outputs: {x: y}\nchecks: []"), "2:1-7 G102");
  EXPECT_EQ(PlaceOfError("outputs: {x: 'y z'}"), "1:14-19 G108");
}

TEST(ReadGradient, RefusesFeedsThatAreNotConstant) {
  EXPECT_EQ(PlaceOfError("feeds:\n  a: {dtype: float32}\noutputs: {}"), "2:6-22 F101");
  EXPECT_EQ(PlaceOfError("feeds:\n  a: {npy: a.npy}\noutputs: {}"), "2:6-18 F101");
}

TEST(ReadGradient, RefusesKeysOfGraphsAlone) {
  EXPECT_EQ(PlaceOfError("nodes:\n  a: {op: A, gradient_of: b}\noutputs: {}"), "2:14-25 G102");
  EXPECT_EQ(PlaceOfError("nodes:\n  a: {op: A, stop_gradient: true}\noutputs: {}"), "2:14-27 G102");
}

TEST(ReadGradient, RefusesAThousandNodesAndOne) {
  std::string text = "outputs: {}\nnodes:\n";
  for (int i = 0; i < 1001; ++i) text += "  n" + std::to_string(i) + ": {op: A}\n";
  EXPECT_EQ(PlaceOfError(text), "1003:3-8 G302");
}

}  // namespace
}  // namespace opsrun::host
