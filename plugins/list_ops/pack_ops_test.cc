// plugins/list_ops/pack_ops_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "list_ops_test.h"

namespace list_ops_test {
namespace {

ShapeInferenceTestOp Along(int axis) {
  return ShapeInferenceTestOp("Pack").Attr("axis", axis);
}

TEST(PackShape, HasTheNewDimension) {
  INFER_OK(Along(0), "[1,3];[1,3];?", "[3,d0_0,d0_1]");
  INFER_OK(Along(1), "[1,3];[1,3];?", "[d0_0,3,d0_1]");
  INFER_OK(Along(-1), "[1,3];[1,3];?", "[d0_0,d0_1,3]");
  INFER_OK(Along(-3), "[1,3];[1,3];?", "[3,d0_0,d0_1]");
  INFER_OK(Along(1), "[?,3];[1,?]", "[d1_0,2,d0_1]");
  INFER_OK(Along(-1), "[]", "[1]");
  INFER_OK(Along(7), "?;?", "?");
}

TEST(PackShape, RefusesAnAxisOutOfRange) {
  const std::string range = ", but must be between -3 and 2, since the output has rank 3";
  INFER_ERROR(kWrong + "attr:axis: axis is 3" + range, Along(3), "[1,3];?");
  INFER_ERROR(kWrong + "attr:axis: axis is -4" + range, Along(-4), "[1,3];?");
}

TEST(PackShape, RefusesShapesThatContradict) {
  INFER_ERROR(
      kWrong + "input:values.1: all values must have the same shape, but tensor 0 is [1,3] and tensor 1 is [2,3]",
      Along(0), "[1,3];[2,3]");
}

struct PackOp : ListTest {
  Node Pack(const std::vector<Array>& values, int axis) { return Op("Pack").Inputs(values).Attr("axis", axis); }
};

TEST_F(PackOp, StacksRows) {
  Pack({ArrayOf<int32_t>({2}, {1, 2}), ArrayOf<int32_t>({2}, {3, 4}), ArrayOf<int32_t>({2}, {5, 6})}, 0);
  Run();
  ExpectOutput<int32_t>(0, {3, 2}, {1, 2, 3, 4, 5, 6});
}

TEST_F(PackOp, MakesColumnsAlongTheLastAxis) {
  Pack({ArrayOf<bool>({3}, {true, false, true}), ArrayOf<bool>({3}, {false, false, true})}, -1);
  Run();
  ExpectOutput<bool>(0, {3, 2}, {true, false, false, false, true, true});
}

TEST_F(PackOp, PacksInTheMiddle) {
  Pack({ArrayOf<uint8_t>({2, 2}, {1, 2, 3, 4}), ArrayOf<uint8_t>({2, 2}, {5, 6, 7, 8})}, -2);
  Run();
  ExpectOutput<uint8_t>(0, {2, 2, 2}, {1, 2, 5, 6, 3, 4, 7, 8});
}

TEST_F(PackOp, MakesAVectorOfScalars) {
  Pack({ArrayOf<double>({}, {0.5}), ArrayOf<double>({}, {7})}, 0);
  Run();
  ExpectOutput<double>(0, {2}, {0.5, 7});
}

TEST_F(PackOp, PacksMany) {
  std::vector<Array> values;
  std::vector<int16_t> packed;
  for (int16_t i = 0; i < 300; ++i) values.push_back(ArrayOf<int16_t>({2}, {i, static_cast<int16_t>(-i)}));
  for (int16_t i = 0; i < 300; ++i) packed.push_back(i);
  for (int16_t i = 0; i < 300; ++i) packed.push_back(static_cast<int16_t>(-i));
  Pack(values, 1);
  Run();
  ExpectOutput<int16_t>(0, {2, 300}, packed);
}

TEST_F(PackOp, PacksNothing) {
  Pack({ArrayOf<float>({0}, {}), ArrayOf<float>({0}, {})}, 1);
  Run();
  ExpectOutput<float>(0, {0, 2}, {});
}

TEST_F(PackOp, NamesWhatComesLateAndDoesNotFit) {
  Pack({ArrayOf<float>({}, {1}), ArrayOf<float>({1}, {1})}, 0).Late();
  RunFails(kWrong + "input:values.1: all values must have the same shape, but tensor 0 is [] and tensor 1 is [1]");
  Pack({ArrayOf<float>({}, {1})}, 1).Late();
  RunFails(kWrong + "attr:axis: axis is 1, but must be between -1 and 0, since the output has rank 1");
}

TEST_F(PackOp, HasAKernelForEveryTypeOfElements) {
  const auto pack = [this](const Array& array) { Pack({array, array}, 0); };
  HasAKernelForEveryNumberAndBool(pack);
  pack(ArrayOf<uint16_t>({1}, {5}, OPSRUN_DT_QUINT16));
  Run();
  pack(ArrayOf<uint8_t>({1}, {5}, OPSRUN_DT_FLOAT8_E5M2));
  Run();
  Pack({ArrayOf<std::string>({1}, {"a"}), ArrayOf<std::string>({1}, {"bc"})}, 1);
  Run();
  ExpectOutput<std::string>(0, {1, 2}, {"a", "bc"});
}

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
