// plugins/list_ops/unpack_op_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "list_ops_test.h"

namespace list_ops_test {
namespace {

ShapeInferenceTestOp Into(int num, int axis) {
  return ShapeInferenceTestOp("Unpack").Attr("num", num).Attr("axis", axis);
}

TEST(UnpackShape, IsThatOfEachPart) {
  INFER_OK(Into(2, 0), "[2,3,?]", "[d0_1,d0_2];[d0_1,d0_2]");
  INFER_OK(Into(1, -1), "[2,3,?]", "[d0_0,d0_1]");
  INFER_OK(Into(3, 1), "[2,3,?]", "[d0_0,d0_2];[d0_0,d0_2];[d0_0,d0_2]");
  INFER_OK(Into(2, 9), "?", "?;?");
  INFER_OK(Into(0, 0), "[0]", "");
}

TEST(UnpackShape, RefusesWhatDoesNotFit) {
  INFER_ERROR(kWrong + "attr:num: num is 2, but must be the size of dimension 1 of value, whose shape is [2,3]",
              Into(2, 1), "[2,3]");
  INFER_ERROR(kWrong + "attr:axis: axis is 2, but must be between -2 and 1, since value has rank 2", Into(2, 2),
              "[2,3]");
  INFER_ERROR(kWrong + "attr:axis: axis is 0, but value is a scalar", Into(2, 0), "[]");
}

struct UnpackOp : ListTest {
  Node Unpack(const Array& value, int num, int axis) {
    return Op("Unpack").Input(value).Attr("num", num).Attr("axis", axis);
  }
};

TEST_F(UnpackOp, TakesRows) {
  Unpack(ArrayOf<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6}), 2, 0);
  Run();
  ExpectOutput<int32_t>(0, {3}, {1, 2, 3});
  ExpectOutput<int32_t>(1, {3}, {4, 5, 6});
}

TEST_F(UnpackOp, TakesColumns) {
  Unpack(ArrayOf<uint8_t>({2, 3}, {1, 2, 3, 4, 5, 6}), 3, -1);
  Run();
  ExpectOutput<uint8_t>(0, {2}, {1, 4});
  ExpectOutput<uint8_t>(2, {2}, {3, 6});
}

TEST_F(UnpackOp, TakesManyColumns) {
  std::vector<float> numbers(600);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  Unpack(ArrayOf<float>({2, 300}, numbers), 300, 1);
  Run();
  for (int i = 0; i < 300; ++i) ExpectOutput<float>(i, {2}, {static_cast<float>(i), static_cast<float>(300 + i)});
}

TEST_F(UnpackOp, MakesScalarsOfAVector) {
  Unpack(ArrayOf<double>({2}, {0.5, 7}), 2, 0);
  Run();
  ExpectOutput<double>(1, {}, {7});
}

TEST_F(UnpackOp, GivesNoPartsOfNothing) {
  Unpack(ArrayOf<float>({0, 2}, {}), 0, 0);
  Run();
  EXPECT_EQ(NumOutputs(), 0);
  Unpack(ArrayOf<float>({0, 2}, {}), 2, 1);
  Run();
  ExpectOutput<float>(0, {0}, {});
}

TEST_F(UnpackOp, NamesWhatComesLateAndDoesNotFit) {
  Unpack(ArrayOf<float>({3, 1}, {1, 2, 3}), 2, 0).Late();
  RunFails(kWrong + "attr:num: num is 2, but must be the size of dimension 0 of value, whose shape is [3,1]");
  Unpack(ArrayOf<float>({3}, {1, 2, 3}), 3, -2).Late();
  RunFails(kWrong + "attr:axis: axis is -2, but must be between -1 and 0, since value has rank 1");
  Unpack(ArrayOf<float>({}, {1}), 1, 0).Late();
  RunFails(kWrong + "attr:axis: axis is 0, but value is a scalar");
}

TEST_F(UnpackOp, HasAKernelForEveryNumberAndBool) {
  HasAKernelForEveryNumberAndBool([this](const Array& array) { Unpack(array, 1, 0); });
}

}  // namespace
}  // namespace list_ops_test
