// plugins/pad/pad_test.cc: Pad, PadV2 and MirrorPad as users run them.
// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <limits>
#include <numeric>

#include "opsrun/testing.h"

namespace {

namespace test = opsrun::test;
using test::ArrayOf;
using test::ShapeInferenceTestOp;

constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
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

TEST(PadShape, RefusesPaddingsOfAnotherRank) {
  ShapeInferenceTestOp op("Pad");
  const std::string sentence = kBadPaddings + "paddings must have a row for each of the input's ";
  INFER_ERROR(sentence + "3 dimensions, but its shape is [4,2]", op, "[1,2,3];[4,2]");
  INFER_ERROR(sentence + "0 dimensions, but its shape is [1,2]", op, "[];[1,2]");
}

TEST(PadShape, RefusesNegativeConstantPaddings) {
  ShapeInferenceTestOp op("Pad");
  op.Value<int32_t>(1, {2, 2}, {0, 0, 1, -1});
  INFER_ERROR(kBadPaddings + "paddings must not be negative, but row 1 is [1, -1]", op, "[4,?];[2,2]");
}

TEST(PadShape, RefusesConstantPaddingsThatOverflow) {
  ShapeInferenceTestOp op("Pad");
  const std::string sentence = kBadPaddings + "row 0 of paddings is too large: ", most = "9223372036854775807";
  op.Value<int64_t>(1, {1, 2}, {0, kHuge});
  INFER_ERROR(sentence + "0 + 4 + " + most + " is more than " + most, op, "[4];[1,2]");
  op.Value<int64_t>(1, {1, 2}, {kHuge, 1});
  INFER_ERROR(sentence + most + " + ? + 1 is more than " + most, op, "[?];[1,2]");
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
    CutLoops();
    RunGives(last(), 0, whole);
  }
};

TEST_F(PadOp, TakesPaddingsThatComeLate) {
  Op("Pad").Input<int32_t>({2}, {7, 8}).Input<int32_t>({1, 2}, {1, 0}).Late();
  RunGives<int32_t>(0, {3}, {0, 7, 8});
}

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

TEST_F(PadOp, TakesStringsOfEveryRank) {
  for (int64_t rank = 0; rank <= 8; ++rank) {
    Op("Pad").Input<std::string>(test::Shape(rank, 1), {"x"}).Input<int32_t>({rank, 2}, std::vector(2 * rank, 1));
    Run();
    const test::Shape shape(rank, 3);
    std::vector<std::string> expected(Output(0).strings.size());
    expected[expected.size() / 2] = "x";
    ExpectOutput<std::string>(0, shape, expected);
  }
}

TEST_F(PadOp, CopiesStringsWithoutBorder) {
  Op("Pad").Input<std::string>({2}, {"a", "b"}).Late().Input<int32_t>({1, 2}, {0, 0});
  Run();
  EXPECT_FALSE(Forwarded(0, 0));
  ExpectOutput<std::string>(0, {2}, {"a", "b"});
}

TEST_F(PadOp, PadsManyStringsInParts) {
  CutLoops();
  std::vector<std::string> texts;
  for (int i = 0; i < 1000; ++i) texts.push_back("text number " + std::to_string(i) + " of a thousand");
  Op("Pad").Input<std::string>({1000}, texts).Input<int32_t>({1, 2}, {1, 1});
  Run();
  texts.insert(texts.begin(), "");
  texts.push_back("");
  ExpectOutput<std::string>(0, {1002}, texts);
}

TEST_F(PadOp, CopiesTheBytesOfItsConstant) {
  using Complex = std::complex<double>;
  Op("PadV2").Input<Complex>({1}, {{1, 2}}).Input<int32_t>({1, 2}, {1, 2}).Input<Complex>({}, {{-0.0, 4}});
  Run();
  const test::Array expected = ArrayOf<Complex>({4}, {{-0.0, 4}, {1, 2}, {-0.0, 4}, {-0.0, 4}});
  EXPECT_EQ(Output(0).shape, expected.shape);
  EXPECT_EQ(Output(0).bytes, expected.bytes);
}

TEST_F(PadOp, FillsAroundNoStrings) {
  Op("PadV2").Input<std::string>({0}, {}).Input<int32_t>({1, 2}, {2, 0}).Input<std::string>({}, {"-"});
  RunGives<std::string>(0, {2}, {"-", "-"});
}

TEST(ReflectShape, IsThatOfPad) {
  ShapeInferenceTestOp op("MirrorPad");
  op.Attr("mode", "REFLECT");
  INFER_OK(op, "?;?", "?");
  op.Value<int64_t>(1, {2, 2}, {2, 1, 0, 9});
  INFER_OK(op, "[3,?];[2,2]", "[6,?]");
  INFER_OK(op, "?;[2,2]", "[?,?]");
}

TEST(ReflectShape, RefusesConstantPaddingsThatAreTooLarge) {
  ShapeInferenceTestOp op("MirrorPad");
  op.Attr("mode", "REFLECT").Value<int32_t>(1, {2, 2}, {0, 0, 0, 2});
  INFER_ERROR(kBadPaddings +
                  "REFLECT allows borders of at most 1 for dimension 1 of input, which has size 2, but row 1 of "
                  "paddings is [0, 2]",
              op, "[?,2];[2,2]");
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

// Inputs that are known only at run time. The first invalid row is reported, whatever the error.
TEST_F(PadOp, SaysWhatIsWrongWithPaddingsThatComeLate) {
  const std::string matrix = "paddings must be a matrix of 2 columns, but its shape is ";
  const std::string rows = "paddings must have a row for each of the input's ", large = "paddings make an output of ";
  const std::string reflect =
      "REFLECT allows borders of at most 1 for dimension 0 of input, which has size 2, but row ";
  const struct {
    std::string mode;
    test::Shape shape;
    test::Array paddings;
    std::string message;
  } cases[] = {
      {"", {3}, ArrayOf<int32_t>({2}, {0, 0}), matrix + "[2]"},
      {"", {3}, ArrayOf<int32_t>({1, 3}, {0, 0, 0}), matrix + "[1,3]"},
      {"", {3}, ArrayOf<int64_t>({2, 2}, {0, 0, 0, 0}), rows + "1 dimensions, but its shape is [2,2]"},
      {"REFLECT", {0, 1}, ArrayOf<int32_t>({1, 2}, {0, 0}), rows + "2 dimensions, but its shape is [1,2]"},
      {"", {3}, ArrayOf<int64_t>({1, 2}, {-7, 0}), "paddings must not be negative, but row 0 is [-7, 0]"},
      {"", {3}, ArrayOf<int64_t>({1, 2}, {kHuge, 1}), large + "2^63 bytes or more: row 0 is [9223372036854775807, 1]"},
      {"", {3}, ArrayOf<int64_t>({1, 2}, {kHuge, kHuge}), large},
      {"", {0}, ArrayOf<int64_t>({1, 2}, {kHuge, 0}), large},
      {"",
       {1, 1},
       ArrayOf<int64_t>({2, 2}, {1 << 30, 0, int64_t{1} << 40, 0}),
       large + "2^63 bytes or more: row 1 is [1099511627776, 0]"},
      {"", {1, 0}, ArrayOf<int64_t>({2, 2}, {kHuge / 2, 0, 0, 0}), large},
      {"REFLECT", {0}, ArrayOf<int32_t>({1, 2}, {0, 0}), "REFLECT needs an element to reflect at, but dimension 0"},
      {"REFLECT", {2}, ArrayOf<int32_t>({1, 2}, {2, 0}), reflect + "0 of paddings is [2, 0]"},
      {"REFLECT", {2}, ArrayOf<int64_t>({1, 2}, {1, kHuge}), reflect + "0 of paddings is [1, 9223372036854775807]"},
      {"SYMMETRIC", {1, 2}, ArrayOf<int32_t>({2, 2}, {1, 1, 0, 3}), "SYMMETRIC allows borders of at most 2 for"},
      {"REFLECT", {2, 2}, ArrayOf<int32_t>({2, 2}, {-1, 0, 5, 0}), "paddings must not be negative, but row 0 is"},
      {"REFLECT", {0, 2}, ArrayOf<int32_t>({2, 2}, {0, 0, -1, 0}), "REFLECT needs an element to reflect at"},
  };
  for (const auto& c : cases) {
    Border(c.mode, test::Array::Zeros(OPSRUN_DT_INT32, c.shape), c.paddings).Late();
    RunFails(kBadPaddings + c.message);
  }
  Border("REFLECT", test::Array::Zeros(OPSRUN_DT_INT32, {2}), ArrayOf<int32_t>({1, 2}, {1, 1})).Late();
  Run();
  Border("SYMMETRIC", test::Array::Zeros(OPSRUN_DT_INT32, {1, 2}), ArrayOf<int32_t>({2, 2}, {1, 1, 2, 2})).Late();
  Run();
}

TEST(MirrorPadGradShape, TakesTheBorderOff) {
  ShapeInferenceTestOp op("MirrorPadGrad");
  op.Attr("mode", "REFLECT").Value<int32_t>(1, {2, 2}, {1, 2, 0, 0});
  INFER_OK(op, "[6,?];[2,2]", "[3,d0_1]");
  INFER_ERROR("dimension 0 of input has size 2, but row 0 of paddings is [1, 2]", op, "[2,?];[2,2]");
}

}  // namespace
