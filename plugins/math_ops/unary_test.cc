// plugins/math_ops/unary_test.cc: ops of one input.
// SPDX-License-Identifier: Apache-2.0
#include <complex>

#include "opsrun/testing.h"

namespace math_ops_unary_test {
namespace {

using namespace opsrun::test;

class UnaryOps : public OpTest {};

TEST(NegShape, IsTheInputs) {
  ShapeInferenceTestOp op("Neg");
  INFER_OK(op, "[2,?]", "in0");
}

TEST_F(UnaryOps, NegWraps) {
  Op("Neg").Input<int8_t>({4}, {1, -128, 127, 0});
  Run();
  ExpectOutput<int8_t>(0, {4}, {-1, -128, -127, 0});
}

TEST_F(UnaryOps, NegTakesFloatsOfTwoBytesAndComplexNumbers) {
  Op("Neg").Input<Half>({2}, {1.5, -0.0});
  Run();
  ExpectOutput<Half>(0, {2}, {-1.5, 0.0});
  Op("Neg").Input<std::complex<float>>({1}, {{1, -2}});
  Run();
  ExpectOutput<std::complex<float>>(0, {1}, {{-1, 2}});
}

TEST_F(UnaryOps, NegTakesOverTheInputsMemory) {
  Op("Neg").Input<float>({2}, {1, 2}).Late();
  Run();
  EXPECT_TRUE(Forwarded(0, 0));
  ExpectOutput<float>(0, {2}, {-1, -2});
}

}  // namespace
}  // namespace math_ops_unary_test
