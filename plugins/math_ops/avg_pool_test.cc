// plugins/math_ops/avg_pool_test.cc: AvgPool and its gradient, as the plugin's users get them.
// SPDX-License-Identifier: Apache-2.0
#include "linear_ops_test.h"

namespace linear_ops_test {
namespace {

template <typename Op>
Op& Means(Op& op, const Shape& ksize, const Shape& strides, const std::string& padding) {
  op.Attr("ksize", ksize).Attr("strides", strides).Attr("padding", padding);
  return op;
}

TEST(AvgPoolShape, CountsWindows) {
  ShapeInferenceTestOp op("AvgPool"), gradient("AvgPoolGrad");
  INFER_OK(Means(op, {1, 2, 3, 1}, {1, 2, 1, 1}, "VALID"), "[?,7,9,?]", "[d0_0,3,7,d0_3]");
  Means(gradient, {1, 2, 3, 1}, {1, 2, 1, 1}, "VALID");
  INFER_OK(gradient, "[4];[2,?,?,5]", "[d1_0,?,?,d1_3]");
  gradient.Value<int32_t>(0, {4}, {2, 7, 9, 5});
  INFER_OK(gradient, "[4];[?,3,7,?]", "[2,7,9,5]");
  INFER_ERROR("got", gradient, "[4];[?,3,6,?]");
}

struct AvgPoolOp : OpTest {};

TEST_F(AvgPoolOp, TakesMeansOfThePixelsInsideTheImage) {
  Node node = Op("AvgPool").Input<float>({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6});
  Means(node, {1, 2, 2, 1}, {1, 1, 1, 1}, "SAME");
  Run();
  ExpectOutput<float>(0, {1, 2, 3, 1}, {3, 4, 4.5, 4.5, 5.5, 6});
}

TEST_F(AvgPoolOp, RoundsFloat16Once) {
  // The sum alone is more than float16 can hold.
  Node node = Op("AvgPool").Input<Half>({1, 1, 2, 1}, {60000, 40000});
  Means(node, {1, 1, 2, 1}, {1, 1, 1, 1}, "VALID");
  Run();
  ExpectOutput<Half>(0, {1, 1, 1, 1}, {50000});
}

TEST_F(AvgPoolOp, DividesItsGradientEvenly) {
  Node node = Op("AvgPoolGrad").Input<int32_t>({4}, {1, 1, 4, 1}).Input<double>({1, 1, 3, 1}, {2, 20, 200});
  Means(node, {1, 1, 2, 1}, {1, 1, 1, 1}, "VALID");
  Run();
  ExpectOutput<double>(0, {1, 1, 4, 1}, {1, 11, 110, 100});
}

TEST_F(AvgPoolOp, HasAGradientInParts) {
  // More rows than one part has: each pixel gets a fourth of each of its windows.
  Node node =
      Op("AvgPoolGrad").Input<int32_t>({4}, {1, 50, 2, 1}).Input<float>({1, 49, 1, 1}, std::vector<float>(49, 4));
  Means(node, {1, 2, 2, 1}, {1, 1, 1, 1}, "VALID");
  Run();
  std::vector<float> expected(100, 2);
  expected[0] = expected[1] = expected[98] = expected[99] = 1;
  ExpectOutput<float>(0, {1, 50, 2, 1}, expected);
}

TEST_F(AvgPoolOp, GivesNothingForNothing) {
  Node node = Op("AvgPool").Input<BFloat16>({0, 2, 2, 1}, {});
  Means(node, {1, 2, 2, 1}, {1, 1, 1, 1}, "SAME");
  Run();
  ExpectOutput<BFloat16>(0, {0, 2, 2, 1}, {});
}

TEST_F(AvgPoolOp, NamesWhatDoesNotFit) {
  Node node = Op("AvgPoolGrad").Input<int32_t>({4}, {1, 1, 3, 1}).Input<float>({1, 1, 3, 1}, {1, 2, 3}).Late();
  Means(node, {1, 1, 2, 1}, {1, 1, 1, 1}, "VALID");
  RunFails(kWrong +
           "input:grad: grad must have the shape of the output of AvgPool, [1,1,2,1], but its shape is [1,1,3");
}

}  // namespace
}  // namespace linear_ops_test
