// plugins/pad/pad_test.cc: Pad, PadV2 and MirrorPad as users run them.
// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "opsrun/testing.h"

namespace {

namespace test = opsrun::test;
using test::ArrayOf;
using test::ShapeInferenceTestOp;

const std::string kBadPaddings = "INVALID_ARGUMENT: input:paddings: ";

TEST(PadShape, InfersTheRankFromEitherInput) {
  ShapeInferenceTestOp op("Pad");
  INFER_OK(op, "?;?", "?");
  INFER_OK(op, "?;[?,2]", "?");
  INFER_OK(op, "[1,2,3];?", "[?,?,?]");
  INFER_OK(op, "?;[3,2]", "[?,?,?]");
}

// [values]
TEST(PadShape, AddsConstantPaddingsToTheDimensions) {
  ShapeInferenceTestOp op("Pad");
  op.Value<int32_t>(1, {3, 2}, {1, 10, 2, 20, 3, 30});
  INFER_OK(op, "[100,200,300];[3,2]", "[111,222,333]");
  INFER_OK(op, "[100,?,300];[3,2]", "[111,?,333]");
  INFER_OK(op, "?;[3,2]", "[?,?,?]");
}
// [/values]

TEST(PadShape, KeepsDimensionsWithoutPaddings) {
  ShapeInferenceTestOp op("Pad");
  op.Value<int64_t>(1, {3, 2}, {0, 0, 0, 0, 0, 4});
  INFER_OK(op, "[?,7,?];[3,2]", "[d0_0,d0_1,?]");
}

TEST(PadShape, InfersScalars) {
  ShapeInferenceTestOp op("Pad");
  op.Value<int32_t>(1, {0, 2}, {});
  INFER_OK(op, "[];[0,2]", "[]");
}

// [error]
TEST(PadShape, RefusesPaddingsThatAreNoMatrixOfTwoColumns) {
  ShapeInferenceTestOp op("Pad");
  const std::string sentence = kBadPaddings + "paddings must be a matrix of 2 columns, but its shape is ";
  INFER_ERROR(sentence + "[1,2,3]", op, "?;[1,2,3]");
  INFER_ERROR(sentence + "[?,4]", op, "?;[?,4]");
  INFER_ERROR(sentence + "[2]", op, "[1];[2]");
}
// [/error]

TEST(PadShape, RefusesConstantPaddingsThatOverflow) {
  ShapeInferenceTestOp op("Pad");
  op.Value<int64_t>(1, {1, 2}, {INT64_MAX, 1});
  INFER_ERROR(kBadPaddings + "row 0 of paddings is too large: 9223372036854775807 + ? + 1 is more than", op,
              "[?];[1,2]");
}

TEST(PadV2Shape, LooksAtPaddingsAlone) {
  ShapeInferenceTestOp op("PadV2");
  INFER_OK(op, "[];?;[1]", "[]");
  op.Value<int64_t>(1, {2, 2}, {1, 1, 0, 0});
  INFER_OK(op, "[3,?];[2,2];[]", "[5,d0_1]");
}

class PadOp : public test::OpTest {
 protected:
  // Pad, or MirrorPad of that mode.
  test::Node Border(const std::string& mode, const test::Array& input, const test::Array& paddings) {
    return mode.empty() ? Op("Pad").Input(input).Input(paddings)
                        : Op("MirrorPad").Input(input).Input(paddings).Attr("mode", mode);
  }
  // Runs the current node.
  void GivesTheSameHoweverItIsCut() {
    Run();
    const test::Array whole = Output(0);
    Threads(4);
    CutLoops();
    RunGives(last(), 0, whole);
  }
};

// [late]
TEST_F(PadOp, PassesItsInputOnIfThereIsNoBorder) {
  Op("Pad").Input<int32_t>({2}, {7, 8}).Late().Input<int32_t>({1, 2}, {0, 0});
  Run();
  EXPECT_TRUE(Forwarded(0, 0));
  ExpectOutput<int32_t>(0, {2}, {7, 8});
}
// [/late]

TEST_F(PadOp, CopiesAnInputThatOthersNeed) {
  test::Node input = Op("Pad").Input<int32_t>({2}, {7, 8}).Late().Input<int32_t>({1, 2}, {0, 0});
  Add("Pad").Input(input).Input<int32_t>({1, 2}, {0, 0});
  RunGives<int32_t>(0, {2}, {7, 8});
  ExpectOutput(input, 0, ArrayOf<int32_t>({2}, {7, 8}));
}

TEST_F(PadOp, CopiesStringsWithoutBorder) {
  Op("Pad").Input<std::string>({2}, {"a", "b"}).Late().Input<int32_t>({1, 2}, {0, 0});
  Run();
  EXPECT_FALSE(Forwarded(0, 0));
  ExpectOutput<std::string>(0, {2}, {"a", "b"});
}

TEST(ReflectShape, IsThatOfPad) {
  ShapeInferenceTestOp op("MirrorPad");
  op.Attr("mode", "REFLECT");
  INFER_OK(op, "?;?", "?");
  op.Value<int64_t>(1, {2, 2}, {2, 1, 0, 9});
  INFER_OK(op, "[3,?];[2,2]", "[6,?]");
  INFER_OK(op, "?;[2,2]", "[?,?]");
}

TEST_F(PadOp, GivesTheSameHoweverItIsCut) {
  std::vector<int32_t> values(300 * 301);
  std::iota(values.begin(), values.end(), 0);
  const test::Array input = ArrayOf<int32_t>({300, 301}, values);
  Border("", input, ArrayOf<int32_t>({2, 2}, {1, 5, 30, 7}));
  GivesTheSameHoweverItIsCut();
  Border("SYMMETRIC", input, ArrayOf<int32_t>({2, 2}, {1, 5, 30, 301}));
  GivesTheSameHoweverItIsCut();
}

TEST_F(PadOp, PadsStringsTheSameHoweverItIsCut) {
  std::vector<std::string> texts;
  for (int i = 0; i < 1000; ++i) texts.push_back("text number " + std::to_string(i) + " of a thousand");
  Border("", ArrayOf<std::string>({1000}, texts), ArrayOf<int32_t>({1, 2}, {1, 1}));
  GivesTheSameHoweverItIsCut();
}

TEST(MirrorPadGradShape, TakesTheBorderOff) {
  ShapeInferenceTestOp op("MirrorPadGrad");
  op.Attr("mode", "REFLECT").Value<int32_t>(1, {2, 2}, {1, 2, 0, 0});
  INFER_OK(op, "[6,?];[2,2]", "[3,d0_1]");
  INFER_ERROR("dimension 0 of input has size 2, but row 0 of paddings is [1, 2]", op, "[2,?];[2,2]");
}

}  // namespace
