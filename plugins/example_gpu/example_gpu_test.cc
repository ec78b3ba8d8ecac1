// plugins/example_gpu/example_gpu_test.cc: the op as users run it, on the CPU.
// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "opsrun/testing.h"

namespace {

using opsrun::test::Array;
using opsrun::test::Half;
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

TEST_F(ExampleTest, DoublesHalves) {
  Op("Example").Input<Half>({2}, {1.5, -0.25});
  RunGives<Half>(0, {2}, {3, -0.5});
}

TEST_F(ExampleTest, TakesNothing) {
  Op("Example").Input<int64_t>({3, 0}, {});
  RunGives<int64_t>(0, {3, 0}, {});
}

TEST_F(ExampleTest, DoublesOnSeveralThreads) {
  std::vector<int32_t> numbers(100000), doubled(100000);
  std::iota(numbers.begin(), numbers.end(), 0);
  for (size_t i = 0; i < numbers.size(); ++i) doubled[i] = 2 * numbers[i];
  Threads(4);
  Op("Example").Input<int32_t>({100000}, numbers);
  RunGives<int32_t>(0, {100000}, doubled);
}

TEST_F(ExampleTest, HasAKernelForEveryNumber) {
  for (const int32_t dtype : opsrun::test::NumberTypes()) {
    Op("Example").Input(Array::Zeros(dtype, {1}));
    RunGives(last(), 0, Array::Zeros(dtype, {1}));
  }
}

}  // namespace
