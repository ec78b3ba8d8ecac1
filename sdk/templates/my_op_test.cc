// my_op_test.cc: tests of MyOp. docs/test_an_op.md of opsrun describes opsrun/testing.h.
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "opsrun/testing.h"

namespace {

using opsrun::test::OpTest;
using opsrun::test::ShapeInferenceTestOp;

TEST(MyOpShape, IsThatOfTheInput) {
  ShapeInferenceTestOp op("MyOp");
  INFER_OK(op, "[2,?]", "in0");
  INFER_OK(op, "?", "in0");
}

class MyOpTest : public OpTest {};

TEST_F(MyOpTest, MultipliesEveryElement) {
  Op("MyOp").Input<float>({2, 2}, {1, -2, 0.5, 0}).Attr("factor", 3.0F);
  RunGives<float>(0, {2, 2}, {3, -6, 1.5, 0});
}

TEST_F(MyOpTest, DoublesByDefault) {
  Op("MyOp").Input<float>({3}, {1, 2, 3});
  RunGives<float>(0, {3}, {2, 4, 6});
}

TEST_F(MyOpTest, TakesAnEmptyTensor) {
  Op("MyOp").Input<float>({0, 2}, {});
  RunGives<float>(0, {0, 2}, {});
}

TEST_F(MyOpTest, RefusesAFactorThatIsNotFinite) {
  Op("MyOp").Input<float>({1}, {1}).Attr("factor", std::numeric_limits<float>::infinity());
  RunFails("factor must be finite");
}

}  // namespace
