// The test of that op, in a file that uses the rest of the SDK too.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/op_kernel.h"
// [test]
#include "opsrun/testing.h"

using namespace opsrun;

TEST(CountdownShape, IsTheInputs) {
  test::ShapeInferenceTestOp op("Countdown");
  INFER_OK(op, "[2,?]", "in0");
}

class CountdownTest : public test::OpTest {};

TEST_F(CountdownTest, TakesOneFromEveryNumber) {
  Op("Countdown").Input<int32>({3}, {3, 2, 1});
  Run();
  ExpectOutput<int32>(0, {3}, {2, 1, 0});
}
// [/test]
