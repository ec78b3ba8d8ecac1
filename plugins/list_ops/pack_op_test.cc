// plugins/list_ops/pack_op_test.cc
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

}  // namespace
}  // namespace list_ops_test
