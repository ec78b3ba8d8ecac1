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

}  // namespace
}  // namespace opsrun::host
