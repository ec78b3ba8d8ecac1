// tests/host/show/op_text_test.cc: what explain says of an op.
// SPDX-License-Identifier: Apache-2.0
#include "host/show/op_text.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace opsrun::host
