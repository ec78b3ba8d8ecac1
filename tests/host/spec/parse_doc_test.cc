// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "host/spec/parse_op.h"
#include "tests/host/spec/make_op.h"

namespace opsrun::host::spec {
namespace {

OpDef Documented(const std::string& doc) {
  OpDef op = MakeOp({"T: type"}, {"x: T"}, {"y: T"});
  std::optional<SpecError> error = ParseDoc(doc, &op);
  EXPECT_FALSE(error) << (error ? error->message : "");
  return op;
}

TEST(ParseDoc, BeginsWithASummary) {
  OpDef op = Documented("\n\nDoubles a tensor.   \n\n\nIn two lines.\nReally.\n\n");
  EXPECT_EQ(op.summary, "Doubles a tensor.");
  EXPECT_EQ(op.description, "In two lines.\nReally.");
  for (const char* empty : {"", " \n\t\n"}) EXPECT_EQ(Documented(empty).summary, "");
  EXPECT_EQ(Documented("x: y").summary, "x: y");
}

TEST(ParseDoc, SharesOutWhatIsSaidOfArguments) {
  OpDef op = Documented("Doubles.\n\nx: What is doubled.\ny : Twice that.\nT: A type.");
  EXPECT_EQ(op.inputs[0].doc, "What is doubled.");
  EXPECT_EQ(op.outputs[0].doc, "Twice that.");
  EXPECT_EQ(op.attrs[0].doc, "A type.");
  EXPECT_EQ(op.description, "");
  op = Documented("Doubles.\nx: One.\n    Two.\n\n      Three.\n\n\ny: Four.");
  EXPECT_EQ(op.inputs[0].doc, "One.\nTwo.\n\n  Three.") << "without the common indent";
  EXPECT_EQ(op.outputs[0].doc, "Four.");
}

TEST(ParseDoc, RefusesANameThatTheOpDoesNotHave) {
  OpDef op = MakeOp({}, {"values: float"}, {});
  const std::string doc = "Sums.\n\nvalue: What is summed.";
  std::optional<SpecError> error = ParseDoc(doc, &op);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->offset, 7u);
  EXPECT_EQ(error->message, "'value' is not an input, output or attr of this op; did you mean 'values'?");
}

}  // namespace
}  // namespace opsrun::host::spec
