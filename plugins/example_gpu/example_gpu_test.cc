// plugins/example_gpu/example_gpu_test.cc: the op as users run it, on the CPU.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/testing.h"

namespace {

using opsrun::test::OpTest;
using opsrun::test::ShapeInferenceTestOp;

TEST(ExampleShape, IsTheInputs) {
  ShapeInferenceTestOp op("Example");
  INFER_OK(op, "[2,?]", "in0");
  INFER_OK(op, "?", "in0");
}

class ExampleTest : public OpTest {};

TEST_F(ExampleTest, DoublesEveryElement) {
  Op("Example").Input<float>({2, 2}, {1, -2, 0.5, 0});
  RunGives<float>(0, {2, 2}, {2, -4, 1, 0});
}

}  // namespace
