// plugins/list_ops/split_op_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "list_ops_test.h"

namespace list_ops_test {
namespace {

ShapeInferenceTestOp Into(int num) {
  return ShapeInferenceTestOp("Split").Attr("num_split", num);
}
ShapeInferenceTestOp Along(int32_t split_dim, int num) {
  return Into(num).Value<int32_t>(0, {}, {split_dim});
}

TEST(SplitShape, IsThatOfEachPart) {
  INFER_OK(Along(0, 2), "[];[4,?]", "[2,d1_1];[2,d1_1]");
  INFER_OK(Along(-1, 2), "[];[4,?]", "[d1_0,?];[d1_0,?]");
  INFER_OK(Along(1, 2), "[];?", "?;?");
}

TEST(SplitShape, HasARankAloneWithoutTheAxis) {
  INFER_OK(Into(2), "[];[4,5]", "[?,?];[?,?]");
  INFER_OK(Into(1), "?;?", "?");
}

TEST(SplitShape, RefusesWhatDoesNotFit) {
  INFER_ERROR(kWrong + "attr:num_split: num_split is 2, but must divide dimension 1 of value, whose shape is [4,5]",
              Along(1, 2), "[];[4,5]");
  INFER_ERROR(kWrong + "input:split_dim: split_dim is -3, but must be between -2 and 1, since value has rank 2",
              Along(-3, 2), "[];[4,5]");
  INFER_ERROR(kWrong + "input:split_dim: split_dim must be a scalar, but its shape is [2]", Into(2), "[2];[4,5]");
  INFER_ERROR(kWrong + "input:value: value must have one dimension or more, but is a scalar", Into(2), "[];[]");
}

struct SplitOp : ListTest {
  Node Split(const Array& split_dim, const Array& value, int num) {
    return Op("Split").Input(split_dim).Input(value).Attr("num_split", num);
  }
  Node SplitAlong(int32_t split_dim, const Shape& shape, int num) {
    return Split(ArrayOf<int32_t>({}, {split_dim}), ArrayOf<int16_t>(shape, {1, 2, 3, 4, 5, 6, 7, 8}), num);
  }
};

TEST_F(SplitOp, CutsRows) {
  SplitAlong(0, {4, 2}, 2);
  Run();
  ExpectOutput<int16_t>(0, {2, 2}, {1, 2, 3, 4});
  ExpectOutput<int16_t>(1, {2, 2}, {5, 6, 7, 8});
}

TEST_F(SplitOp, CutsColumns) {
  SplitAlong(-1, {2, 4}, 2);
  Run();
  ExpectOutput<int16_t>(0, {2, 2}, {1, 2, 5, 6});
  ExpectOutput<int16_t>(1, {2, 2}, {3, 4, 7, 8});
}

TEST_F(SplitOp, MakesOnePart) {
  SplitAlong(1, {2, 4}, 1);
  Run();
  ExpectOutput<int16_t>(0, {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
}

TEST_F(SplitOp, CutsNothingIntoNothings) {
  Split(ArrayOf<int32_t>({}, {0}), ArrayOf<int16_t>({0, 3}, {}), 5);
  Run();
  EXPECT_EQ(NumOutputs(), 5);
  ExpectOutput<int16_t>(4, {0, 3}, {});
}

TEST_F(SplitOp, NamesWhatComesLateAndDoesNotFit) {
  SplitAlong(0, {4, 2}, 3).Late();
  RunFails(kWrong + "attr:num_split: num_split is 3, but must divide dimension 0 of value, whose shape is [4,2]");
  SplitAlong(2, {4, 2}, 2).Late();
  RunFails(kWrong + "input:split_dim: split_dim is 2, but must be between -2 and 1, since value has rank 2");
  Split(ArrayOf<int32_t>({1}, {0}), ArrayOf<int16_t>({1}, {1}), 1).Late();
  RunFails(kWrong + "input:split_dim: split_dim must be a scalar, but its shape is [1]");
}

TEST_F(SplitOp, HasAKernelForEveryNumberAndBool) {
  HasAKernelForEveryNumberAndBool([this](const Array& array) { Split(ArrayOf<int32_t>({}, {0}), array, 1); });
}

}  // namespace
}  // namespace list_ops_test
