// tests/host/show/op_text_test.cc: what explain says of an op, its kernels and its attrs; and generated code.
// SPDX-License-Identifier: Apache-2.0
#include "host/show/op_text.h"
#include "host/show/wrap/wrap.h"

#include <gtest/gtest.h>

#include <cmath>

#include "host/plan/match_node.h"
#include "host/spec/parse_op.h"
#include "host/yaml/value.h"
#include "opsrun/c_api.h"

namespace opsrun::host {
namespace {

class OpTextTest : public ::testing::Test {
 protected:
  OpTextTest() {
    spec::OpStrings strings;
    strings.name = "Blend";
    strings.inputs = {"images: N * T", "weights: float"};
    strings.outputs = {"blended: T"};
    strings.attrs = {"N: int >= 2",
                     "T: {float, int32}",
                     "gains: list(float) = [1, 0.5]",
                     "flag: bool = true",
                     "size: shape = { dim { size: 2 } dim { size: -1 } }",
                     "must: list(int)"};
    strings.doc = "Mixes images.\n\nPixel by pixel.\n\ngains: one for each";
    const auto errors = spec::ParseOp(strings, &op_.def);
    EXPECT_TRUE(errors.empty()) << spec::SpecErrorsText(strings.name, errors);
    plugin_.path = "/p/acme.so";
    plugin_.name = "acme";
    plugin_.version = "1.2.0";
    op_.plugin = &plugin_;
  }

  Json Attr(const std::string& name) const { return Json::parse(AttrJson(op_, *op_.def.FindAttr(name))); }

  Plugin plugin_;
  RegisteredOp op_;
};

TEST_F(OpTextTest, ShowsListsLimitsAndTheDocumentation) {
  const std::string text = OpText(op_, Registry());
  for (const char* part : {"Blend(images: N * T, weights: float32) -> (", "\n  Mixes images.\n", "one for each\n",
                           "  N      int, 2 or more; inferred from input 'images'\n", "kernels\n  none",
                           "  node: {op: Blend, in: {images: [x1, ...], weights: x2}, attrs: {must: [<int>, ...]}}\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
}

// tests/graphs/explain_json.out has the rest.
TEST_F(OpTextTest, HasThePluginAndTheDocumentation) {
  const Json json = Json::parse(OpJson(op_, Registry()));
  EXPECT_EQ(json["plugin"], (Json{{"name", "acme"}, {"version", "1.2.0"}, {"file", "/p/acme.so"}}));
  EXPECT_EQ(json["summary"], "Mixes images.");
  EXPECT_EQ(json["inputs"][0]["number_attr"], "N");
  EXPECT_EQ(Attr("gains")["default"], (Json{1.0, 0.5}));
  EXPECT_EQ(Attr("gains")["doc"], "one for each");
  EXPECT_EQ(Attr("size")["default"], (Json{2, -1}));
  EXPECT_TRUE(Attr("must")["default"].is_null());
  EXPECT_EQ(Attr("N")["minimum"], 2);
  EXPECT_EQ(Attr("N")["given_by_input"], "images");
}

std::vector<std::string> Lines(const std::vector<KernelNote>& kernels) {
  std::vector<KernelRow> rows;
  for (const KernelNote& kernel : kernels) rows.push_back(RowOf(kernel));
  std::vector<std::string> lines;
  for (const KernelRow& row : MergeRows(std::move(rows))) lines.push_back(RowText(row));
  return lines;
}

using Texts = std::vector<std::string>;

// Rows that stay apart are in tests/graphs/explain_constraints.out.
TEST(KernelRows, CollectTheTypesOfOneDevice) {
  EXPECT_EQ(Lines({{"Op", "CPU", {{"T", {DType::kInt32}}}, ""},
                   {"Op", "GPU", {{"T", {DType::kFloat32}}}, ""},
                   {"Op", "CPU", {{"T", {DType::kFloat32}}}, ""}}),
            (Texts{"cpu  T in {float32, int32}", "gpu  T in {float32}"}));
  EXPECT_EQ(Lines({{"Op", "CPU", {}, ""}, {"Op", "CPU", {}, ""}, {"Op", "CPU", {{"T", {DType::kFloat32}}}, ""}}),
            (Texts{"cpu", "cpu  T in {float32}"}));
  KernelRow row{"cpu", "fast", "a.so", {}};
  EXPECT_EQ(RowText(row), "cpu  label 'fast', from a.so");
}

TEST(KernelRows, AreOneForAProductOfTypes) {
  std::vector<KernelNote> kernels;
  for (const DType t : {DType::kFloat32, DType::kFloat64}) {
    for (const DType u : {DType::kInt32, DType::kInt64}) kernels.push_back({"Op", "CPU", {{"T", {t}}, {"U", {u}}}, ""});
  }
  EXPECT_EQ(Lines(kernels), Texts{"cpu  T in {float32, float64}, U in {int32, int64}"});
}

// "none" if there are no words for it.
std::string Written(const spec::AttrValue& attr) {
  const std::optional<Value> value = AttrYaml(attr);
  if (!value) return "none";
  Value attrs = MapValue(), node = MapValue(), nodes = MapValue();
  AddEntry(attrs, "a", *value);
  AddEntry(node, "n", attrs);
  AddEntry(nodes, "m", node);
  const std::string text = WriteYaml(nodes);  // "m:\n  n: {a: 3}\n"
  return text.substr(12, text.size() - 14);
}

TEST(AttrYaml, IsWhatAnAttrOfAGraphTakes) {
  EXPECT_EQ(Written(spec::AttrValue::Int(-3)), "-3");
  EXPECT_EQ(Written(spec::AttrValue::Bool(true)), "true");
  EXPECT_EQ(Written(spec::AttrValue::Float(INFINITY)), ".inf");
  EXPECT_EQ(Written(spec::AttrValue::Float(0.1f)), "0.1");
  EXPECT_EQ(Written(spec::AttrValue::Float(0.1)), "0.1");
  EXPECT_EQ(Written(spec::AttrValue::String("it's")), "it's");
  EXPECT_EQ(Written(spec::AttrValue::TypeList({DType::kFloat32, DType::kInt8})), "[float32, int8]");
  spec::AttrValue shape;  // which may have no words
  shape.type = {OPSRUN_ATTR_SHAPE, false};
  shape.shapes = {{true, {2, -1}}};
  EXPECT_EQ(Written(shape), "[2, -1]");
  shape.shapes = {{false, {}}};
  EXPECT_EQ(Written(shape), "none");
}

TEST(AttrYaml, OfATensorSaysItsType) {
  spec::AttrValue tensor;
  tensor.type = {OPSRUN_ATTR_TENSOR, false};
  const int32_t values[] = {1, 2};
  tensor.tensors = {{DType::kInt32, {2}, std::string(reinterpret_cast<const char*>(values), sizeof values), {}}};
  EXPECT_EQ(Written(tensor), "{value: [1, 2], dtype: int32}");
  tensor.tensors = {{DType::kInt32, {2, 0}, "", {}}};
  EXPECT_EQ(Written(tensor), "{value: [[], []], dtype: int32}");
  tensor.tensors = {{DType::kInt32, {0, 2}, "", {}}};
  EXPECT_EQ(Written(tensor), "{fill: 0, shape: [0, 2], dtype: int32}");
}

// tests/wrap/hostile.cc has what generated code must survive.
TEST(Identifier, ReplacesWhatNoIdentifierHas) {
  EXPECT_EQ(Identifier("my-ops.v2"), "my_ops_v2");
  EXPECT_EQ(Identifier("2d"), "n2d");
  EXPECT_EQ(Identifier(""), "n");
}

TEST(IsCppNamespace, RefusesWhatIsNotTheUsers) {
  EXPECT_TRUE(IsCppNamespace("ops"));
  EXPECT_TRUE(IsCppNamespace("my::ops"));
  for (const char* const wrong :
       {"", "::ops", "ops::", "my:ops", "a b", "2d", "std", "std::ops", "class", "opsrun::embed"}) {
    EXPECT_FALSE(IsCppNamespace(wrong)) << wrong;
  }
}

TEST(PythonQuote, CannotEndEarly) {
  EXPECT_EQ(PythonQuote("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(PythonQuote("\n\x7F\xC3\xA9\xFF"), "\"\\x0a\\x7f\xC3\xA9\xEF\xBF\xBD\"");
}

TEST(MadeBy, IsOneLine) {
  const std::string text = MadeBy({{"a", "1\nimport os\r#", {}}, {"b", "", {}}});
  EXPECT_EQ(text, "opsrun wrap of opsrun " OPSRUN_VERSION ", from plugin 'a' 1 import os #, plugin 'b'");
}

TEST(Fill, BreaksBetweenWords) {
  EXPECT_EQ(Fill("aa  bb\tcc", {6, 1, 2}), " aa bb\n  cc");
  EXPECT_EQ(Fill("\xC3\xA9\xC3\xA9 bb", {5, 0, 0}), "\xC3\xA9\xC3\xA9 bb") << "columns are characters";
  EXPECT_EQ(Fill("aaaaaaaa bb", {4, 0, 1}), "aaaaaaaa\n bb");
  EXPECT_EQ(Fill("", {4, 2, 0}), "  ");
}

}  // namespace
}  // namespace opsrun::host
