// tests/host/show/op_json_test.cc: what explain says to programs.
// SPDX-License-Identifier: Apache-2.0
#include "host/show/op_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "host/spec/parse_op.h"

namespace opsrun::host {
namespace {

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
