// plugins/pad/mirror_pad_test.cc: MirrorPad as users run it.
// SPDX-License-Identifier: Apache-2.0

#include "border_test.h"

namespace pad_test {
namespace {

using test::ArrayOf;
using test::ShapeInferenceTestOp;

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

TEST(SymmetricShape, RefusesConstantPaddingsThatAreTooLarge) {
  ShapeInferenceTestOp op("MirrorPad");
  op.Attr("mode", "SYMMETRIC").Value<int32_t>(1, {2, 2}, {2, 2, 0, 2});
  INFER_OK(op, "[2,2];[2,2]", "[6,4]");
  op.Value<int32_t>(1, {2, 2}, {2, 2, 3, 0});
  INFER_ERROR(kBadPaddings +
                  "SYMMETRIC allows borders of at most 2 for dimension 1 of input, which has size 2, but row 1 of "
                  "paddings is [3, 0]",
              op, "[2,2];[2,2]");
}

struct ReflectOp : BorderTest {
  ReflectOp() : BorderTest("MirrorPad", "REFLECT") {}
};
struct SymmetricOp : BorderTest {
  SymmetricOp() : BorderTest("MirrorPad", "SYMMETRIC") {}
};

TEST_F(SymmetricOp, GivesNothingForNothing) {
  On(ArrayOf<float>({2, 0}, {}), ArrayOf<int32_t>({2, 2}, {1, 0, 0, 0}));
  RunGives<float>(0, {3, 0}, {});
}

TEST_F(ReflectOp, RefusesADimensionOfNothing) {
  Late({0}, ArrayOf<int32_t>({1, 2}, {0, 0}));
  RunFails(kBadPaddings + "REFLECT needs an element to turn around at, but dimension 0 of input has none");
}

TEST_F(ReflectOp, RefusesMoreThanItCanShow) {
  const std::string sentence =
      kBadPaddings + "REFLECT allows borders of at most 1 for dimension 0 of input, which has size 2, but ";
  Late({2}, ArrayOf<int32_t>({1, 2}, {2, 0}));
  RunFails(sentence + "row 0 of paddings is [2, 0]");
  Late({2}, ArrayOf<int64_t>({1, 2}, {1, kHuge}));
  RunFails(sentence + "row 0 of paddings is [1, 9223372036854775807]");
  Late({2}, ArrayOf<int32_t>({1, 2}, {1, 1}));
  Run();
}

TEST_F(SymmetricOp, RefusesMoreThanItCanShow) {
  Late({1, 2}, ArrayOf<int32_t>({2, 2}, {1, 1, 0, 3}));
  RunFails(kBadPaddings +
           "SYMMETRIC allows borders of at most 2 for dimension 1 of input, which has size 2, but row 1 of paddings is "
           "[0, 3]");
  Late({1, 2}, ArrayOf<int32_t>({2, 2}, {1, 1, 2, 2}));
  Run();
}

// The first invalid row is reported, whatever the error.
TEST_F(ReflectOp, ChecksRowByRow) {
  Late({2, 2}, ArrayOf<int32_t>({2, 2}, {-1, 0, 5, 0}));
  RunFails(kBadPaddings + "paddings must not be negative, but row 0 is [-1, 0]");
  Late({0, 2}, ArrayOf<int32_t>({2, 2}, {0, 0, -1, 0}));
  RunFails(kBadPaddings + "REFLECT needs an element to turn around at, but dimension 0 of input has none");
}

TEST_F(ReflectOp, RefusesPaddingsOfAWrongShape) {
  Late({0, 1}, ArrayOf<int32_t>({1, 2}, {0, 0}));
  RunFails(kBadPaddings + "paddings must have a row for each of the input's 2 dimensions, but its shape is [1,2]");
  Late({3}, ArrayOf<int32_t>({2}, {0, 0}));
  RunFails(kBadPaddings + "paddings must be a matrix of 2 columns, but its shape is [2]");
}

TEST_F(ReflectOp, RefusesAnUnknownMode) {
  On(ArrayOf<int32_t>({3}, {1, 2, 3}), ArrayOf<int32_t>({1, 2}, {2, 1})).Attr("mode", "CONSTANT");
  RunFails("attr:mode: attr 'mode' is 'CONSTANT' here, but op 'MirrorPad' allows");
}

TEST_F(ReflectOp, TakesEightDimensionsAndNoMore) {
  TakesEightDimensionsAndNoMore();
}

TEST_F(SymmetricOp, GivesTheSameHoweverItIsCut) {
  std::vector<int32_t> values(300 * 301);
  std::iota(values.begin(), values.end(), 0);
  On(ArrayOf<int32_t>({300, 301}, values), ArrayOf<int32_t>({2, 2}, {1, 5, 30, 301}));
  GivesTheSameHoweverItIsCut();
}

TEST(MirrorPadGradShape, TakesTheBorderOff) {
  ShapeInferenceTestOp op("MirrorPadGrad");
  op.Attr("mode", "REFLECT").Value<int32_t>(1, {2, 2}, {1, 2, 0, 0});
  INFER_OK(op, "[6,?];[2,2]", "[3,d0_1]");
  INFER_ERROR("dimension 0 of input has size 2, but row 0 of paddings is [1, 2]", op, "[2,?];[2,2]");
}

}  // namespace
}  // namespace pad_test
