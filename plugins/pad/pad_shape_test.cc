// plugins/pad/pad_shape_test.cc: the shape functions, with paddings that are known, and that are not.
// SPDX-License-Identifier: Apache-2.0
#include "pad_ops_test.h"

namespace pad_test {
namespace {

struct PadShape : OpFixture {
  PadShape() : OpFixture("Pad") {}
};
struct PadV2Shape : OpFixture {
  PadV2Shape() : OpFixture("PadV2") {}
};
struct ReflectShape : OpFixture {
  ReflectShape() : OpFixture("MirrorPad", "REFLECT") {}
};
struct SymmetricShape : OpFixture {
  SymmetricShape() : OpFixture("MirrorPad", "SYMMETRIC") {}
};

TEST_F(PadShape, InfersNothingFromUnknownShapes) {
  EXPECT_EQ(Infer("?;?"), "?");
  EXPECT_EQ(Infer("?;[?,2]"), "?");
}

TEST_F(PadShape, InfersTheRankFromEitherInput) {
  EXPECT_EQ(Infer("[1,2,3];?"), "[?,?,?]");
  EXPECT_EQ(Infer("?;[3,2]"), "[?,?,?]");
}

TEST_F(PadShape, AddsConstantPaddingsToTheDimensions) {
  const std::vector<int32_t> paddings = {1, 10, 2, 20, 3, 30};
  EXPECT_EQ(Infer("[100,200,300];[3,2]", paddings), "[111,222,333]");
  EXPECT_EQ(Infer("[100,?,300];[3,2]", paddings), "[111,?,333]");
  EXPECT_EQ(Infer("?;[3,2]", paddings), "[?,?,?]");
}

TEST_F(PadShape, KeepsDimensionsWithoutPaddings) {
  EXPECT_EQ(Infer("[?,7,?];[3,2]", std::vector<int64_t>{0, 0, 0, 0, 0, 4}), "[d0_0,d0_1,?]");
}

TEST_F(PadShape, InfersScalars) {
  EXPECT_EQ(Infer("[];[0,2]", std::vector<int32_t>{}), "[]");
}

TEST_F(PadShape, RefusesPaddingsThatAreNoMatrixOfTwoColumns) {
  const std::string sentence = "paddings must be a matrix of 2 columns, but its shape is ";
  EXPECT_EQ(Infer("?;[1,2,3]"), BadPaddings(sentence + "[1,2,3]"));
  EXPECT_EQ(Infer("?;[?,4]"), BadPaddings(sentence + "[?,4]"));
  EXPECT_EQ(Infer("[1];[2]"), BadPaddings(sentence + "[2]"));
}

TEST_F(PadShape, RefusesPaddingsOfAnotherRank) {
  const auto sentence = [](int rank, const std::string& shape) {
    return BadPaddings("paddings must have a row for each of the input's " + std::to_string(rank) +
                       " dimensions, but its shape is " + shape);
  };
  EXPECT_EQ(Infer("[1,2,3];[4,2]"), sentence(3, "[4,2]"));
  EXPECT_EQ(Infer("[];[1,2]"), sentence(0, "[1,2]"));
}

TEST_F(PadShape, RefusesNegativeConstantPaddings) {
  EXPECT_EQ(Infer("[4,?];[2,2]", std::vector<int32_t>{0, 0, 1, -1}),
            BadPaddings("paddings must not be negative, but row 1 is [1, -1]"));
}

TEST_F(PadShape, RefusesConstantPaddingsThatOverflow) {
  EXPECT_EQ(
      Infer("[4];[1,2]", std::vector<int64_t>{0, kHuge}),
      BadPaddings("row 0 of paddings is too large: 0 + 4 + 9223372036854775807 is more than 9223372036854775807"));
  EXPECT_EQ(
      Infer("[?];[1,2]", std::vector<int64_t>{kHuge, 1}),
      BadPaddings("row 0 of paddings is too large: 9223372036854775807 + ? + 1 is more than 9223372036854775807"));
}

TEST_F(PadV2Shape, LooksAtPaddingsAlone) {
  EXPECT_EQ(Infer("[3,?];[2,2];[]", std::vector<int64_t>{1, 1, 0, 0}), "[5,d0_1]");
  EXPECT_EQ(Infer("[];?;[1]"), "[]");
}

TEST_F(ReflectShape, IsThatOfPad) {
  EXPECT_EQ(Infer("[3,?];[2,2]", std::vector<int64_t>{2, 1, 0, 9}), "[6,?]");
  EXPECT_EQ(Infer("?;[2,2]", std::vector<int64_t>{2, 1, 0, 9}), "[?,?]");
  EXPECT_EQ(Infer("?;?"), "?");
}

TEST_F(ReflectShape, RefusesConstantPaddingsThatAreTooLarge) {
  EXPECT_EQ(Infer("[?,2];[2,2]", std::vector<int32_t>{0, 0, 0, 2}),
            BadPaddings("REFLECT allows borders of at most 1 for dimension 1 of input, which has size 2, but row 1 of "
                        "paddings is [0, 2]"));
}

TEST_F(SymmetricShape, RefusesConstantPaddingsThatAreTooLarge) {
  EXPECT_EQ(Infer("[2,2];[2,2]", std::vector<int32_t>{2, 2, 0, 2}), "[6,4]");
  EXPECT_EQ(Infer("[2,2];[2,2]", std::vector<int32_t>{2, 2, 3, 0}),
            BadPaddings("SYMMETRIC allows borders of at most 2 for dimension 1 of input, which has size 2, but row 1 "
                        "of paddings is [3, 0]"));
}

}  // namespace
}  // namespace pad_test
