// tests/host/testing/shape_inference_test_op_test.cc: what a test says of the op besides shapes.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/testing/shape_inference_test_op.h"

#include <gtest/gtest.h>

namespace opsrun::test {
namespace {

TEST(ShapeInferenceTestOp, ListsAreAsLongAsTheShapesSay) {
  EXPECT_EQ(ShapeInferenceTestOp("EqualLists").Infer("[1];[2];[3];[4]"), "in2;in3");
  EXPECT_EQ(ShapeInferenceTestOp("EqualLists").Infer(""),
            "attr:N: input 'a' holds 0 tensors, but op 'EqualLists' asks for at least 1");
  EXPECT_EQ(ShapeInferenceTestOp("TwoLists").Attr("N", 1).Infer("[1];[2];[3]"), "in1;in2");
  EXPECT_EQ(ShapeInferenceTestOp("TwoLists").Attr("M", 1).Infer("[1];[2];[3]"), "in2");
}

TEST(ShapeInferenceTestOp, SaysWhatKeepsItFromKnowingLengths) {
  EXPECT_EQ(ShapeInferenceTestOp("TwoLists").Infer("[1];[2]"),
            "how long the lists of op 'TwoLists' are is not known: set attr 'N' or 'M'");
  EXPECT_EQ(ShapeInferenceTestOp("EqualLists").Infer("[1];[2];[3]"),
            "the test gives 3 shapes, which do not fit the inputs of op 'EqualLists': a (a list), b (a list)");
  EXPECT_EQ(ShapeInferenceTestOp("Pad").Infer("[1]"),
            "the test gives 1 shapes, which do not fit the inputs of op 'Pad': input, paddings");
  EXPECT_EQ(ShapeInferenceTestOp("TwoLists").Attr("N", -3).Attr("M", 1).Infer("[1]"),
            "attr:N: attr 'N' is -3 here, but input 'a' makes it 0");
}

TEST(ShapeInferenceTestOp, ListsOfTypes) {
  EXPECT_EQ(ShapeInferenceTestOp("IdentityN").Infer("[1];?"), "in0;in1");
  EXPECT_EQ(ShapeInferenceTestOp("IdentityN").Attr("T", {"int32", "string"}).Infer("[1];?"), "in0;in1");
  EXPECT_EQ(ShapeInferenceTestOp("IdentityN").Attr("T", {"int32"}).Infer("[1];?"),
            "the test gives 2 shapes, which do not fit the inputs of op 'IdentityN': input (a list)");
}

TEST(ShapeInferenceTestOp, ValuesSayTypes) {
  ShapeInferenceTestOp op("Spelled");
  op.Value<int64_t>(0, {2}, {5, 6});
  EXPECT_EQ(op.Infer("[2]"), "[5,6]");
  EXPECT_EQ(op.Attr("Index", "int32").Infer("[2]"),
            "attr:Index: attr 'Index' is int32 here, but input 'shape' makes it int64");
}

TEST(ShapeInferenceTestOp, ValuesThatAreKnownInPart) {
  ShapeInferenceTestOp op("Spelled");
  EXPECT_EQ(op.Infer("[2]"), "[?,?]");
  EXPECT_EQ(op.Value<int32_t>(0, {2}, {5, -1}).Infer("[2]"), "[5,?]");
  EXPECT_EQ(op.ForgetValues().ValueAsShape(0, "[?,6]").Infer("[2]"), "[?,6]");
  EXPECT_EQ(op.ForgetValues().Infer("[2]"), "[?,?]");
}

TEST(ShapeInferenceTestOp, ValuesFitTheShapes) {
  ShapeInferenceTestOp op("Spelled");
  EXPECT_EQ(op.Value<int32_t>(0, {2}, {5, 6}).Infer("[3]"), "input 0 has the shape [3], but its value has [2]");
  EXPECT_EQ(op.Value<int32_t>(0, {3}, {5, 6}).Infer("[3]"),
            "the value of input 0: an array of shape [3] has 3 elements, and the test gives 2");
  EXPECT_EQ(op.ForgetValues().Value<int32_t>(1, {}, {5}).Infer("[3]"),
            "input 1 has a value, but the test gives 1 shapes");
  EXPECT_EQ(op.ForgetValues().Value<int32_t>(-1, {}, {5}).Infer("[3]"),
            "input -1 has a value, but the test gives 1 shapes");
  EXPECT_EQ(
      op.ForgetValues().ValueAsShape(0, "[x]").Infer("[3]"),
      "the value of input 0: the shapes \"[x]\" cannot be read: at character 2 stands 'x]', expected a size or '?'");
  EXPECT_EQ(op.ForgetValues().ValueAsShape(3, "[2]").Infer("[3]"), "input 3 cannot have the value \"[2]\"");
}

TEST(ShapeInferenceTestOp, AttrsAreCheckedAsAGraphs) {
  EXPECT_EQ(ShapeInferenceTestOp("MirrorPad").Infer("?;?"),
            "attr:mode: op 'MirrorPad' needs attr 'mode' of type string");
  EXPECT_EQ(ShapeInferenceTestOp("MirrorPad").Attr("mod", "REFLECT").Infer("?;?").substr(0, 34),
            "op 'MirrorPad' has no attr 'mod'\n ");
  EXPECT_EQ(ShapeInferenceTestOp("Pack").Attr("axis", 1.5).Infer("?"),
            "attr:axis: attr 'axis' is int, not '1.5'\n  help: write a whole number that fits 64 bits");
  EXPECT_EQ(ShapeInferenceTestOp("Pack").Attr("axis", {1, 2}).Infer("?").substr(0, 41),
            "attr:axis: attr 'axis' is int, not a list");
  EXPECT_EQ(ShapeInferenceTestOp("Pad").Attr("Tpaddings", "float").Infer("?;?"),
            "attr:Tpaddings: attr 'Tpaddings' is float32 here, but op 'Pad' allows int32, int64");
}

TEST(ShapeInferenceTestOp, SaysWhatIsNotThere) {
  EXPECT_EQ(ShapeInferenceTestOp("Pda").Infer("?;?"), "no op named 'Pda'\n  help: did you mean 'Pad'?");
  EXPECT_EQ(ShapeInferenceTestOp("EchoAttrs").Infer(""), "op 'EchoAttrs' has no shape function");
}

TEST(ShapeInferenceTestOp, SaysWhyAFileCannotBeUsed) {
  EXPECT_EQ(ShapeInferenceTestOp("Pad", {"no/such/file.so"}).Infer("?;?").substr(0, 49),
            "plugin file 'no/such/file.so' cannot be used: it ");
  EXPECT_EQ(ShapeInferenceTestOp("Pad", {"/proc/self/exe"}).Infer("?;?").substr(0, 48),
            "plugin file '/proc/self/exe' cannot be used: it ");
  EXPECT_EQ(ShapeInferenceTestOp("Pad", PluginFiles()).Infer("?;?").substr(0, 23), "no plugin file is named");
}

TEST(PluginFiles, AreSeparatedByColons) {
  EXPECT_EQ(FindPluginFiles("a.so:b c.so"), (PluginFiles{"a.so", "b c.so"}));
  EXPECT_EQ(FindPluginFiles("::a.so:"), PluginFiles{"a.so"});
  EXPECT_EQ(FindPluginFiles(""), PluginFiles());
}

}  // namespace
}  // namespace opsrun::test
