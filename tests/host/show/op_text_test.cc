// tests/host/show/op_text_test.cc: what explain says of an op.
// SPDX-License-Identifier: Apache-2.0
#include "host/show/op_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "host/spec/parse_op.h"

namespace opsrun::host {
namespace {

std::string Explained(const spec::OpStrings& strings) {
  Plugin plugin;
  plugin.path = "/p/acme.so";
  plugin.name = "acme";
  plugin.version = "1.2.0";
  RegisteredOp op;
  op.plugin = &plugin;
  EXPECT_TRUE(spec::ParseOp(strings, &op.def).empty());
  return OpText(op, Registry());
}

spec::OpStrings Blend() {
  spec::OpStrings strings;
  strings.name = "Blend";
  strings.inputs = {"images: N * T", "weights: float"};
  strings.outputs = {"blended: T"};
  strings.attrs = {"N: int >= 2", "T: {float, int32}", "mode: {'linear', 'step'} = 'linear'", "axis: int"};
  strings.doc = "Mixes images.\n\nPixel by pixel.\n\nweights: one per image";
  return strings;
}

TEST(OpText, SaysWhereEachAttrComesFrom) {
  const std::string text = Explained(Blend());
  EXPECT_NE(text.find("  N     int, 2 or more; given by input 'images'\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  T     type, one of float32, int32; given by input 'images'\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  mode  string, one of 'linear', 'step'; default 'linear'\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  axis  int; must be given\n"), std::string::npos) << text;
}

TEST(OpText, BeginsWithSignatureAndPlugin) {
  EXPECT_EQ(Explained(Blend()).substr(0, 43), "Blend(images: N * T, weights: float32) -> (");
  EXPECT_NE(Explained(Blend()).find("\n  plugin acme 1.2.0  /p/acme.so\n"), std::string::npos);
}

TEST(OpText, ShowsANodeWithWhatItNeeds) {
  EXPECT_NE(
      Explained(Blend()).find("  node: {op: Blend, in: {images: [x1, ...], weights: x2}, attrs: {axis: <int>}}\n"),
      std::string::npos);
}

TEST(OpText, ShowsTheDocumentation) {
  const std::string text = Explained(Blend());
  EXPECT_NE(text.find("\n  Mixes images.\n"), std::string::npos) << text;
  EXPECT_NE(text.find("one per image\n"), std::string::npos) << text;
}

TEST(OpText, SaysThatThereIsNoKernel) {
  EXPECT_NE(Explained(Blend()).find("kernels\n  none"), std::string::npos);
}

using Json = nlohmann::json;

class OpJsonTest : public ::testing::Test {
 protected:
  OpJsonTest() {
    spec::OpStrings strings;
    strings.name = "Blend";
    strings.inputs = {"images: N * T"};
    strings.outputs = {"blended: T"};
    strings.attrs = {"N: int >= 2",
                     "T: {float, int32}",
                     "gains: list(float) = [1, 0.5]",
                     "flag: bool = true",
                     "size: shape = { dim { size: 2 } dim { size: -1 } }",
                     "must: list(int)"};
    strings.doc = "Mixes images.\n\ngains: one for each";
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

TEST_F(OpJsonTest, HasThePluginAndTheDocumentation) {
  const Json json = Json::parse(OpJson(op_, Registry()));
  EXPECT_EQ(json["plugin"], (Json{{"name", "acme"}, {"version", "1.2.0"}, {"file", "/p/acme.so"}}));
  EXPECT_EQ(json["summary"], "Mixes images.");
  EXPECT_EQ(json["inputs"][0]["number_attr"], "N");
  EXPECT_EQ(json["attrs"].size(), 6u);
  EXPECT_TRUE(json["kernels"].empty());
  EXPECT_TRUE(json["deprecated"].is_null());
}

TEST_F(OpJsonTest, WritesDefaultsAsJson) {
  EXPECT_EQ(Attr("gains")["default"], (Json{1.0, 0.5}));
  EXPECT_EQ(Attr("flag")["default"], true);
  EXPECT_EQ(Attr("size")["default"], (Json{2, -1}));
  EXPECT_TRUE(Attr("must")["default"].is_null());
}

TEST_F(OpJsonTest, SaysWhatAnAttrAllowsAndWhatGivesIt) {
  EXPECT_EQ(Attr("T")["allowed"], (Json{"float32", "int32"}));
  EXPECT_EQ(Attr("N")["minimum"], 2);
  EXPECT_EQ(Attr("N")["given_by_input"], "images");
  EXPECT_EQ(Attr("gains")["doc"], "one for each");
}

}  // namespace

}  // namespace opsrun::host
