// plugins/math_ops/bias_test.cc: BiasAdd and its gradient. tests/numpy/reduce_ops.py compares results with NumPy's.
// SPDX-License-Identifier: Apache-2.0

#include "opsrun/testing.h"

namespace {

using namespace opsrun::test;

TEST(BiasAddShape, IsThatOfTheValue) {
  for (const char* name : {"BiasAdd", "BiasAddV1"}) {
    ShapeInferenceTestOp op(name);
    INFER_OK(op, "[2,?];[3]", "[d0_0,d1_0]");
    INFER_OK(op, "[2,?,?];?", "[d0_0,d0_1,d0_2]");
    INFER_OK(op, "?;[3]", "?");
    INFER_ERROR("must be at least rank 2 but is rank 1", op, "[3];[3]");
    INFER_ERROR("must be rank 1 but is rank 2", op, "[2,3];[1,3]");
    INFER_ERROR("4 and 3", op, "[2,3,4];[3]");
  }
}

TEST(BiasAddShape, HasChannelsInDimension1ForNchw) {
  ShapeInferenceTestOp op("BiasAdd");
  op.Attr("data_format", "NCHW");
  INFER_OK(op, "[2,?,4,5];[3]", "[d0_0,d1_0,d0_2,d0_3]");
  INFER_OK(op, "[2,?];[3]", "[d0_0,d1_0]");
  INFER_OK(op, "?;[3]", "?");
  INFER_ERROR("2 and 3", op, "[1,2,3,3];[3]");
}

TEST(BiasAddGradShape, IsAVectorOfChannels) {
  ShapeInferenceTestOp op("BiasAddGrad");
  INFER_OK(op, "[2,3,?]", "[d0_2]");
  INFER_OK(op, "?", "[?]");
  INFER_ERROR("must be at least rank 2", op, "[3]");
  op.Attr("data_format", "NCHW");
  INFER_OK(op, "[2,3,?]", "[d0_1]");
}

class Bias : public OpTest {};

TEST_F(Bias, TakesTensorsOfAnyRank) {
  for (const char* format : {"NHWC", "NCHW"}) {
    Op("BiasAdd").Input<float>({2, 2}, {1, 2, 3, 4}).Input<float>({2}, {10, 20}).Attr("data_format", format);
    RunGives<float>(0, {2, 2}, {11, 22, 13, 24});
    Op("BiasAddGrad").Input<float>({1, 1, 1, 1, 1, 1}, {3}).Attr("data_format", format);
    RunGives<float>(0, {1}, {3});
  }
}

TEST_F(Bias, RoundsSumsOfSixteenBitsOnce) {
  Op("BiasAddGrad").Input<Half>({5000, 1}, std::vector<Half>(5000, 1));
  RunGives<Half>(0, {1}, {5000});
}

TEST_F(Bias, TakesTensorsWithoutElements) {
  Op("BiasAdd").Input<float>({0, 3}, {}).Input<float>({3}, {1, 2, 3});
  RunGives<float>(0, {0, 3}, {});
  Op("BiasAddGrad").Input<float>({0, 3}, {});
  RunGives<float>(0, {3}, {0, 0, 0});
  Op("BiasAddGrad").Input<float>({2, 0, 3}, {}).Attr("data_format", "NCHW");
  RunGives<float>(0, {0}, {});
}

TEST_F(Bias, RefusesAnotherNumberOfChannels) {
  Op("BiasAdd").Input<float>({2, 3}, {1, 2, 3, 4, 5, 6}).Input<float>({2}, {1, 2}).Late();
  RunFails("bias must be a vector of 3 numbers, one for each element of dimension 1 of value, but its shape is [2]");
  Op("BiasAddV1").Input<float>({3}, {1, 2, 3}).Input<float>({3}, {1, 2, 3}).Late();
  RunFails("value must have at least two dimensions, but its shape is [3]");
  Op("BiasAddGrad").Input<float>({3}, {1, 2, 3}).Late();
  RunFails("out_backprop must have at least two dimensions, but its shape is [3]");
}

TEST_F(Bias, TakesOverTheMemoryOfTheValue) {
  Op("BiasAdd").Input<float>({2, 2}, {1, 2, 3, 4}).Input<float>({2}, {1, 2}).Late();
  Run();
  EXPECT_TRUE(Forwarded(0, 0));
}

}  // namespace
