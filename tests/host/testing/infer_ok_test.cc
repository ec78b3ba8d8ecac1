// tests/host/testing/infer_ok_test.cc: what INFER_OK and INFER_ERROR take and say, and what a test says of the op
// besides shapes.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <limits>

#include "host/testing/made_graph.h"
#include "host/testing/shape_answer.h"
#include "opsrun/testing.h"

namespace opsrun::test {
namespace {

TEST(InferOk, TakesEveryWordAtItsPlace) {
  const ShapeInferenceTestOp op("Words");
  INFER_OK(op, "[3];[2,?]", "in1;[d0_0,7,?];?;?") << "and what else there is to say";
  INFER_OK(op, "[?];?", "in0|in1;[d1_0|d0_0,7,?];?;?");
  INFER_OK(op, "[3];?", "in1;[d0_0, 7 ,o1_2,];?;?");
}

TEST(InferOk, SaysWhatDiffersAndWhere) {
  const ShapeInferenceTestOp op("Words");
  EXPECT_NONFATAL_FAILURE(INFER_OK(op, "[3];[2,?]", "in0;[d0_0,7,?];?;?"),
                          "op 'Words' infers different shapes\n"
                          "  inputs:   [3];[2,?]\n"
                          "  expected: in0;[d0_0,7,?];?;?\n"
                          "  found:    in1;[d0_0,7,?];?;?\n"
                          "  output 0 is in1, expected in0 itself");
  const struct {
    const char *inputs, *expected, *said;
  } rows[] = {
      // A handle is not its number.
      {"[3];[2]", "in1;[3,7,?];?;?",
       "output 1, dimension 0 is d0_0 itself, expected 3 that does not belong to an input"},
      {"[?];[2]", "in1;[?,7,?];?;?",
       "output 1, dimension 0 is d0_0 itself, expected ? that does not belong to an input"},
      {"[3];[2]", "[2];[d0_0,7,?];?;?", "output 0 is in1 itself, expected a shape of its own"},
      {"[3];?", "?;[d0_0,7,?];?;?", "output 0 is in1 itself"},
      {"[3];[2]", "in1;[d1_0,7,?];?;?", "output 1, dimension 0 is d0_0, expected d1_0 itself"},
      // Sizes and ranks.
      {"[3];?", "in1;[d0_0,8,?];?;?", "output 1, dimension 1 is 7, expected 8"},
      {"[3];?", "in1;[d0_0,?,?];?;?", "output 1, dimension 1 is 7, expected ?"},
      {"[3];?", "in1;[d0_0,7,4];?;?", "output 1, dimension 2 is ?, expected 4"},
      {"[3];?", "in1;[d0_0,7];?;?", "which has 3 dimensions, expected 2"},
      {"[3];?", "in1;?;?;?", "output 1 is [d0_0,7,?], expected an unknown shape"},
      {"[3];?", "in1;[d0_0,7,?];[?];?", "output 2 is an unknown shape, expected 1 dimensions"},
      {"[3];?", "in1;[d0_0,7,?]", "there are 4 outputs, expected 2"},
      // Names of what is not there match nothing.
      {"[3];?", "in7;[d0_0,7,?];?;?", "output 0 is in1, expected in7 itself"},
      {"[3];?", "in1;[d9_9,7,?];?;?", "is d0_0, expected d9_9 itself"},
      {"[3];?", "in1;[o4294967295_1,7,?];?;?", "expected o4294967295_1 itself"},
      // What cannot be read is a failure of its own.
      {"[3];?", "[d0", "the shapes \"[d0\" cannot be read: at character 4: found the end"},
      {"[3];", "?", "the shapes \"[3];\" cannot be read"},
  };
  for (const auto& row : rows) EXPECT_NONFATAL_FAILURE(INFER_OK(op, row.inputs, row.expected), row.said);
  EXPECT_NONFATAL_FAILURE(INFER_ERROR("", op, "nonsense"), "the shapes \"nonsense\" cannot be read");
}

TEST(InferOk, ShowsTheErrorInsteadOfShapesUnlessAnEExpectsOne) {
  ShapeInferenceTestOp op("Pad");
  EXPECT_NONFATAL_FAILURE(
      INFER_OK(op, "[1];[2]", "[?]"),
      "  found:    INVALID_ARGUMENT: input:paddings: paddings must be a matrix of 2 columns, but its "
      "shape is [2]");
  INFER_OK(op, "[1];[2]", "e");
  EXPECT_NONFATAL_FAILURE(
      INFER_OK(op, "[1];[1,2]", "e"),
      "op 'Pad' accepts these shapes\n  inputs:   [1];[1,2]\n  expected: an error\n  found:    [?]");
}

TEST(InferError, WantsAnErrorWithItsText) {
  ShapeInferenceTestOp op("Pad");
  INFER_ERROR("a matrix of 2 columns", op, "[1];[2]");
  INFER_ERROR("INVALID_ARGUMENT: input:paddings: paddings", op, "[1];[2]");
  EXPECT_NONFATAL_FAILURE(INFER_ERROR("must be a vector", op, "[1];[2]"),
                          "op 'Pad' fails with a different message\n"
                          "  inputs:   [1];[2]\n"
                          "  expected: an error with: must be a vector\n"
                          "  found:    INVALID_ARGUMENT: input:paddings: paddings must be a matrix");
  EXPECT_NONFATAL_FAILURE(INFER_ERROR("must be", op, "[1];[1,2]"),
                          "op 'Pad' accepts these shapes\n"
                          "  inputs:   [1];[1,2]\n"
                          "  expected: an error with: must be\n"
                          "  found:    [?]");
}

TEST(ShapeInferenceTestOp, ListsAreAsLongAsTheShapesAndAttrsSay) {
  using Op = ShapeInferenceTestOp;
  EXPECT_EQ(Op("EqualLists").Infer("[1];[2];[3];[4]"), "in2;in3");
  EXPECT_EQ(Op("EqualLists").Infer(""), "attr:N: input 'a' has 0 tensors, but op 'EqualLists' requires at least 1");
  EXPECT_EQ(Op("EqualLists").Infer("[1];[2];[3]"),
            "the test gives 3 shapes, which do not fit the inputs of op 'EqualLists': a (a list), b (a list)");
  EXPECT_EQ(Op("TwoLists").Attr("N", 1).Infer("[1];[2];[3]"), "in1;in2");
  EXPECT_EQ(Op("TwoLists").Attr("M", 1).Infer("[1];[2];[3]"), "in2");
  EXPECT_EQ(Op("TwoLists").Infer("[1];[2]"),
            "the lengths of the lists of op 'TwoLists' are unknown: set attr 'N' or 'M'");
  EXPECT_EQ(Op("TwoLists").Attr("N", -3).Attr("M", 1).Infer("[1]"), "attr:N: attr 'N' is -3, but input 'a' makes it 0");
  EXPECT_EQ(Op("Pad").Infer("[1]"),
            "the test gives 1 shapes, which do not fit the inputs of op 'Pad': input, paddings");
  EXPECT_EQ(Op("IdentityN").Infer("[1];?"), "in0;in1");
  EXPECT_EQ(Op("IdentityN").Attr("T", {"int32", "string"}).Infer("[1];?"), "in0;in1");
  EXPECT_EQ(Op("IdentityN").Attr("T", {"int32"}).Infer("[1];?"),
            "the test gives 2 shapes, which do not fit the inputs of op 'IdentityN': input (a list)");
}

TEST(ShapeInferenceTestOp, ValuesSayTypesAndAreKnownWholeOrInPart) {
  ShapeInferenceTestOp op("Spelled"), wide("Spelled");
  wide.Value<int64_t>(0, {2}, {5, 6});
  EXPECT_EQ(wide.Infer("[2]"), "[5,6]");
  EXPECT_EQ(wide.Attr("Index", "int32").Infer("[2]"),
            "attr:Index: attr 'Index' is int32, but input 'shape' makes it int64");
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
      "the value of input 0: the shapes \"[x]\" cannot be read: at character 2: found 'x]', expected a size or '?'");
  EXPECT_EQ(op.ForgetValues().ValueAsShape(3, "[2]").Infer("[3]"), "input 3 cannot have the value \"[2]\"");
}

TEST(ShapeInferenceTestOp, AttrsAndNamesAreCheckedAsThoseOfAGraph) {
  EXPECT_EQ(ShapeInferenceTestOp("MirrorPad").Infer("?;?"),
            "attr:mode: op 'MirrorPad' needs attr 'mode' of type string");
  EXPECT_EQ(ShapeInferenceTestOp("MirrorPad").Attr("mod", "REFLECT").Infer("?;?").substr(0, 34),
            "op 'MirrorPad' has no attr 'mod'\n ");
  EXPECT_EQ(ShapeInferenceTestOp("Pack").Attr("axis", 1.5).Infer("?"),
            "attr:axis: attr 'axis' must be int, found '1.5'\n  help: write a whole number that fits 64 bits");
  EXPECT_EQ(ShapeInferenceTestOp("Pack").Attr("axis", {1, 2}).Infer("?").substr(0, 48),
            "attr:axis: attr 'axis' must be int, found a list");
  EXPECT_EQ(ShapeInferenceTestOp("Pad").Attr("Tpaddings", "float").Infer("?;?"),
            "attr:Tpaddings: attr 'Tpaddings' is float32, but op 'Pad' allows int32, int64");
  EXPECT_EQ(ShapeInferenceTestOp("Pda").Infer("?;?"), "no op named 'Pda'\n  help: did you mean 'Pad'?");
  EXPECT_EQ(ShapeInferenceTestOp("EchoAttrs").Infer(""), "op 'EchoAttrs' has no shape function");
}

TEST(ShapeInferenceTestOp, SaysWhyAFileCannotBeUsed) {
  for (const std::string file : {"no/such/file.so", "/proc/self/exe"}) {
    const std::string why = "plugin file '" + file + "' cannot be used: it ";
    EXPECT_EQ(ShapeInferenceTestOp("Pad", {file}).Infer("?;?").substr(0, why.size()), why);
  }
  EXPECT_EQ(ShapeInferenceTestOp("Pad", PluginFiles()).Infer("?;?").substr(0, 24), "no plugin file was given");
}

TEST(PluginFiles, AreSeparatedByColons) {
  EXPECT_EQ(FindPluginFiles("a.so:b c.so"), (PluginFiles{"a.so", "b c.so"}));
  EXPECT_EQ(FindPluginFiles("::a.so:"), PluginFiles{"a.so"});
  EXPECT_EQ(FindPluginFiles(""), PluginFiles());
}

}  // namespace

}  // namespace opsrun::test

namespace opsrun::host {
namespace {

// Where the text cannot be read and what was expected there; the whole message, if it is about something else.
template <typename T>
std::string WhyNot(const Result<T>& read) {
  const std::string message = read.ok() ? "" : read.status().message();
  const size_t at = message.find("cannot be read: at character ");
  return at == std::string::npos ? message : message.substr(at + 29);
}

TEST(ReadInputShapes, ReadsSizesAndUnknownOnes) {
  const std::vector<spec::PartialShape> shapes = *ReadInputShapes("[1,?];?;[];[3,]");
  ASSERT_EQ(shapes.size(), 4u);
  EXPECT_EQ(shapes[0], (spec::PartialShape{true, {1, -1}}));
  EXPECT_EQ(shapes[1], (spec::PartialShape{false, {}}));
  EXPECT_EQ(shapes[2], (spec::PartialShape{true, {}}));
  EXPECT_EQ(shapes[3], (spec::PartialShape{true, {3}}));
  EXPECT_TRUE(ReadInputShapes("")->empty());
}

TEST(ReadInputShapes, SaysWhatItFoundAndWhereAlsoOfBlanksSignsAndTooMuch) {
  EXPECT_EQ(ReadInputShapes("[1,x]").status().message(),
            "the shapes \"[1,x]\" cannot be read: at character 4: found 'x]', expected a size or '?'");
  EXPECT_EQ(WhyNot(ReadInputShapes("[1")), "3: found the end, expected ',' or ']'");
  EXPECT_EQ(WhyNot(ReadInputShapes("?,?")), "2: found ',?', expected ';' or the end");
  EXPECT_EQ(WhyNot(ReadInputShapes("?;")), "3: found the end, expected '?' or '['");
  for (const char* text :
       {" ?", "[1, 2]", "[-1]", "[+1]", "[,]", "[1,,2]", "[9223372036854775808]", "e", "in0", "[]]"}) {
    EXPECT_NE(WhyNot(ReadInputShapes(text)), "") << text;
  }
  std::string many = "[";
  for (int i = 0; i < 65; ++i) many += "1,";
  EXPECT_EQ(WhyNot(ReadInputShapes(many + "]")), "a shape of 65 dimensions is given; the highest rank is 64");
}

TEST(ReadExpectedShapes, SaysWhatItFoundAndWhere) {
  EXPECT_TRUE(ReadExpectedShapes("e")->error) << "the whole text";
  EXPECT_NE(WhyNot(ReadExpectedShapes("e;?")), "");
  EXPECT_FALSE(ReadExpectedShapes("")->error);
  EXPECT_EQ(WhyNot(ReadExpectedShapes("[d0_x]")), "5: found 'x]', expected the number of a dimension");
  EXPECT_EQ(WhyNot(ReadExpectedShapes("[d0]")), "4: found ']', expected '_'");
  EXPECT_EQ(WhyNot(ReadExpectedShapes("[a]")), "2: found 'a]', expected a size, '?' or a dimension such as d0_1");
  EXPECT_EQ(WhyNot(ReadExpectedShapes("out0")), "1: found 'out0', expected '?', '[' or an input such as in0");
  EXPECT_EQ(WhyNot(ReadExpectedShapes("in0|")), "5: found the end, expected '?', '[' or an input such as in0");
}

// Nothing crashes, whatever is written; the end of what can be read is found.
TEST(ReadExpectedShapes, TakesNonsenseForNonsense) {
  const std::string signs = "[]?;,|_dino0123456789 -e\xff";
  uint32_t random = 1;
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (uint32_t length = random % 12; length > 0; --length) {
      random = random * 1664525u + 1013904223u;
      text += signs[(random >> 8) % signs.size()];
    }
    random = random * 1664525u + 1013904223u;
    read += ReadExpectedShapes(text).ok() && ReadInputShapes(text).ok() ? 1 : 0;
  }
  EXPECT_GT(read, 0);
}

using test::ArrayOf;
using test::AttrValue;

// Scalars as they stand in a graph, with quotes where they are strings; lists in brackets.
std::string Text(const Value& value) {
  if (value.kind == Value::Kind::kScalar) return value.quoted ? "'" + value.text + "'" : value.text;
  std::string text;
  for (const Value& item : value.items) text += (text.empty() ? "" : ", ") + Text(item);
  for (const Value::Entry& entry : value.entries) {
    text += (text.empty() ? "" : ", ") + entry.key + ": " + Text(entry.value);
  }
  return value.kind == Value::Kind::kMap ? "{" + text + "}" : "[" + text + "]";
}

TEST(AttrText, IsThatOfAGraph) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::pair<AttrValue, const char*> rows[] = {
      {3, "3"},
      {std::numeric_limits<int64_t>::min(), "-9223372036854775808"},
      {true, "true"},
      {"3", "'3'"},
      // Floats stay floats.
      {2.0, "2.0"},
      {0.1, "0.1"},
      {1e300, "1.0e+300"},
      {-infinity, "-.inf"},
      {std::numeric_limits<double>::quiet_NaN(), ".nan"},
      {{1, 2}, "[1, 2]"},
      {{"a", "b"}, "['a', 'b']"},
      {std::vector<bool>{true, false}, "[true, false]"},
      {test::Shape{2, -1}, "[2, -1]"},
      {{test::Shape{2}, test::Shape{}}, "[[2], []]"},
      {ArrayOf<double>({2, 1}, {0.1234567890123, 2}), "{value: [[0.1234567890123], [2.0]], dtype: 'float64'}"},
      {ArrayOf<std::string>({}, {"a"}), "{value: 'a', dtype: 'string'}"},
      {ArrayOf<test::Half>({1}, {0.5}), "{value: [0.5], dtype: 'float16'}"},
      {ArrayOf<int32_t>({2}, {1}), "{}"},
  };
  for (const auto& [value, text] : rows) EXPECT_EQ(Text(ToValue(value, {})), text);
}

}  // namespace
}  // namespace opsrun::host
