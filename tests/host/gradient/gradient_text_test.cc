// tests/host/gradient/gradient_text_test.cc: attrs in declared gradients, and lines of the plugin's source. Slices and
// choices by an attr are in tests/host/embed/typed_op_test.cc and in the gradients of math_ops.
// SPDX-License-Identifier: Apache-2.0
#include "host/gradient/gradient_text.h"

#include <gtest/gtest.h>

#include "host/spec/parse_op.h"
#include "tests/host/yaml/error_lines.h"

namespace opsrun::host {
namespace {

// Scale(x: T) -> (y: T), of a plugin, with a gradient.
struct ScaleOp {
  explicit ScaleOp(std::string gradient, uint32_t line = 0) {
    plugin.name = "scales";
    spec::OpStrings strings;
    strings.name = "Scale";
    strings.inputs = {"x: T"};
    strings.outputs = {"y: T"};
    strings.attrs = {"T: {float, double, int32}", "by: float", "flip: bool"};
    EXPECT_TRUE(spec::ParseOp(strings, &op.def).empty());
    op.gradient = std::move(gradient);
    op.gradient_line = line;
    op.plugin = &plugin;
    signature.attrs = {spec::AttrValue::Type(DType::kFloat64), spec::AttrValue::Float(0.5),
                       spec::AttrValue::Bool(true)};
  }

  std::optional<DeclaredGradient> Read() { return GradientText(op).For(signature, diagnostics); }

  Plugin plugin;
  RegisteredOp op;
  spec::Signature signature;
  Diagnostics diagnostics;
};

TEST(GradientText, PutsInAttrsWhereverTheyStand) {
  ScaleOp scale(
      "feeds: {one: {value: 1, dtype: {attr: T}}}\n"
      "nodes: {a: {op: A, in: grad.y, attrs: {by: {attr: by}, both: [{attr: by}, 2], attr: {attr: T}}}}\n"
      "outputs: {x: a}");
  const std::optional<DeclaredGradient> gradient = scale.Read();
  ASSERT_TRUE(gradient.has_value());
  EXPECT_EQ(gradient->graph.feeds.at(0).dtype->value, DType::kFloat64);
  const std::vector<NodeAttr>& attrs = gradient->graph.nodes.at(0).attrs;
  EXPECT_EQ(attrs.at(0).value.text, "0.5");
  EXPECT_EQ(attrs.at(1).value.items.at(0).text, "0.5");
  EXPECT_EQ(attrs.at(2).name.value, "attr");  // an attr of that name is not replaced itself
  EXPECT_EQ(attrs.at(2).value.text, "float64");
}

TEST(GradientText, RefusesSlicesThatAreIncomplete) {
  const std::pair<const char*, const char*> rows[] = {
      {"grad.y", "G105"},
      {"{x: grad.y}", "G105"},
      {"{x: {values: grad.y}}", "G106"},
      {"{x: {indices: x}}", "G106"},
      {"{x: {values: grad.y, indices: x, vectors: x}}", "G106"},
      {"{x: {value: grad.y, indices: x}}", "G102"},
      {"{x: {values: [grad.y], indices: x}}", "G108"},
      {"{x: {values: grad.y, indices: x, batch_dims: 0.5}}", "G105"},
  };
  for (const auto& [slices, code] : rows) {
    ScaleOp scale(std::string("outputs: {x: grad.y}\nslices: ") + slices);
    EXPECT_FALSE(scale.Read().has_value());
    ASSERT_EQ(scale.diagnostics.all().size(), 1u) << slices;
    EXPECT_EQ(scale.diagnostics.all()[0].code.text(), code) << slices;
  }
}

TEST(GradientText, HasTheLinesOfThePluginsSource) {
  ScaleOp scale("\noutputs: {x: {attr: bye}}", 40), nowhere("outputs: {}", ~uint32_t{0});
  EXPECT_FALSE(scale.Read().has_value());
  EXPECT_EQ(ErrorLines(scale.diagnostics).at(0).substr(0, 16), "41:21-24 G212 op");
  EXPECT_EQ(GradientSource(scale.op)->path, "gradient of Scale, in the source of plugin scales");
  EXPECT_EQ(GradientSource(nowhere.op)->text, "outputs: {}") << "not moved by a line that no source has";
}

TEST(GradientText, NamesTheOpsOfItsNodes) {
  ScaleOp scale("nodes: {a: {op: Mul}, b: 3, c: {op: array_ops.Slice}}\noutputs: {}");
  EXPECT_EQ(GradientText(scale.op).OpNames(), (std::vector<std::string>{"Mul", "array_ops.Slice"}));
  EXPECT_TRUE(GradientText(ScaleOp("nodes: [").op).OpNames().empty());
}

TEST(GradientTypes, AreThoseOfOutputsThatHaveGradients) {
  ScaleOp scale("");
  EXPECT_EQ(GradientTypes(scale.op.def), (std::vector<DType>{DType::kFloat32, DType::kFloat64}));
}

TEST(DrawOpGraph, IsTheSameForTheSameSeed) {
  ScaleOp scale("");
  const auto source = std::make_shared<const SourceFile>();
  Draws once(7), again(7);
  const Graph a = DrawOpGraph(scale.op, DType::kFloat32, source, once);
  const Graph b = DrawOpGraph(scale.op, DType::kFloat32, source, again);
  EXPECT_EQ(a.nodes.at(0).op.value, "scales.Scale");
  EXPECT_EQ(a.feeds.at(0).dtype->value, DType::kFloat32);
  ASSERT_EQ(a.nodes[0].attrs.size(), 2u);  // T follows from the input
  EXPECT_EQ(a.nodes[0].attrs[0].value.text, b.nodes.at(0).attrs.at(0).value.text);
}

}  // namespace
}  // namespace opsrun::host
