// plugins/zero_out/zero_out_test.cc: the op as users run it. Copy it with zero_out.cc to begin your own.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/testing.h"

namespace {

using opsrun::test::Array;
using opsrun::test::ArrayOf;
using opsrun::test::OpTest;
using opsrun::test::ShapeInferenceTestOp;

// [shape]
TEST(ZeroOutShape, IsTheInputs) {
  ShapeInferenceTestOp op("ZeroOut");
  INFER_OK(op, "[2,?]", "in0");
  INFER_OK(op, "?", "in0");
}
// [/shape]

// [kernel]
class ZeroOutTest : public OpTest {};

TEST_F(ZeroOutTest, KeepsTheFirstElement) {
  Op("ZeroOut").Input<int32_t>({2, 2}, {1, 2, 3, 4});
  RunGives<int32_t>(0, {2, 2}, {1, 0, 0, 0});
}

TEST_F(ZeroOutTest, RefusesAnIndexPastTheEnd) {
  Op("ZeroOut").Input<float>({2}, {1, 2}).Attr("preserve_index", 2);
  RunFails("attr:preserve_index: preserve_index is 2, but to_zero has only 2 elements");
}
// [/kernel]

TEST_F(ZeroOutTest, RefusesANegativeIndex) {
  Op("ZeroOut").Input<float>({2}, {1, 2}).Attr("preserve_index", -1);
  RunFails("attr:preserve_index: attr 'preserve_index' is -1, but op 'ZeroOut' requires at least 0");
}

TEST_F(ZeroOutTest, HasAKernelForEveryRealNumber) {
  for (const int32_t dtype : opsrun::test::NumberTypes()) {
    Op("ZeroOut").Input(Array::Zeros(dtype, {1}));
    if (dtype == OPSRUN_DT_COMPLEX64 || dtype == OPSRUN_DT_COMPLEX128) {
      RunFails("input:to_zero: input 'to_zero' makes attr 'T' complex");
    } else {
      Run();
    }
  }
}

TEST_F(ZeroOutTest, RunsAgainAndAgain) {
  auto node = Op("ZeroOut").Input<int8_t>({2}, {5, 6}).Fed();
  RunGives<int8_t>(0, {2}, {5, 0});
  node.Replace(0, ArrayOf<int8_t>({2}, {7, 8}));
  RunGives<int8_t>(0, {2}, {7, 0});
}

}  // namespace
