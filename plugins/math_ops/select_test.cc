// plugins/math_ops/select_test.cc: Select and SelectV2.
// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <cstdint>

#include "opsrun/testing.h"

namespace math_ops_select_test {
namespace {

using namespace opsrun::test;

TEST(SelectShape, FollowsTensorFlowsOldRules) {
  ShapeInferenceTestOp op("Select");
  INFER_OK(op, "[];[2,?];[?,3]", "[d1_0,d2_1]");
  INFER_OK(op, "[?];[2,3];?", "[d1_0,d1_1]");
  INFER_OK(op, "[2,3];[?,?];[?,?]", "in0");
  INFER_ERROR("input:", op, "[3];[2,3];[2,3]");
  INFER_ERROR("input:", op, "[];[2,3];[3]");
  INFER_ERROR("input:", op, "[1,3];[2,3];[2,3]");
}

TEST(SelectV2Shape, IsBroadcast) {
  ShapeInferenceTestOp op("SelectV2");
  INFER_OK(op, "[4,1];[3];[]", "[d0_0,d1_0]");
  INFER_ERROR("cannot be broadcast together", op, "[2];[3];[]");
}

class Selects : public OpTest {};

TEST_F(Selects, SelectTakesRowsByAVector) {
  Op("Select")
      .Input<bool>({2}, {true, false})
      .Input<int32_t>({2, 2}, {1, 2, 3, 4})
      .Input<int32_t>({2, 2}, {5, 6, 7, 8});
  Run();
  ExpectOutput<int32_t>(0, {2, 2}, {1, 2, 7, 8});
}

TEST_F(Selects, SelectTakesAllByAScalar) {
  Op("Select").Input<bool>({}, {false}).Input<int8_t>({2}, {1, 2}).Input<int8_t>({2}, {5, 6});
  Run();
  ExpectOutput<int8_t>(0, {2}, {5, 6});
}

TEST_F(Selects, SelectRefusesOtherShapesInARun) {
  Op("Select").Input<bool>({3}, {true, true, true}).Input<float>({2}, {1, 2}).Input<float>({2}, {1, 2}).Late();
  RunFails("input:condition: condition must be a scalar");
  Op("Select").Input<bool>({}, {true}).Input<float>({2}, {1, 2}).Input<float>({1}, {1}).Late();
  RunFails("input:e: t and e must have the same shape, but have [2] and [1]; use SelectV2 to broadcast them");
}

TEST_F(Selects, SelectV2Broadcasts) {
  Op("SelectV2").Input<bool>({2, 1}, {true, false}).Input<double>({3}, {1, 2, 3}).Input<double>({}, {-1});
  Run();
  ExpectOutput<double>(0, {2, 3}, {1, 2, 3, -1, -1, -1});
  typedef std::complex<double> C;
  Op("SelectV2").Input<bool>({2}, {true, false}).Input<C>({}, {{1, 2}}).Input<C>({2}, {{3, 4}, {5, 6}});
  Run();
  ExpectOutput<C>(0, {2}, {{1, 2}, {5, 6}});
}

TEST_F(Selects, TakeOverTheMemoryOfAnInput) {
  Op("SelectV2").Input<bool>({2}, {true, false}).Input<float>({}, {1}).Input<float>({2}, {2, 3}).Late();
  Run();
  EXPECT_TRUE(Forwarded(0, 2));
  ExpectOutput<float>(0, {2}, {1, 3});
}

}  // namespace
}  // namespace math_ops_select_test
