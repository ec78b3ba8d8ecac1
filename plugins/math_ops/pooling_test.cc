// plugins/math_ops/pooling_test.cc: AvgPool and its gradient as users run them.
// SPDX-License-Identifier: Apache-2.0

#include "opsrun/testing.h"

namespace {

using namespace opsrun::test;

const std::string kWrongImage = "INVALID_ARGUMENT: ";

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

TEST_F(AvgPoolOp, RoundsFloat16Once) {
  // The sum exceeds the range of float16.
  Node node = Op("AvgPool").Input<Half>({1, 1, 2, 1}, {60000, 40000});
  Means(node, {1, 1, 2, 1}, {1, 1, 1, 1}, "VALID");
  RunGives<Half>(0, {1, 1, 1, 1}, {50000});
}

TEST_F(AvgPoolOp, HasAGradientInParts) {
  // More rows than in one part. Each pixel gets a quarter of the gradient of each of its windows.
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
  RunGives<BFloat16>(0, {0, 2, 2, 1}, {});
}

TEST_F(AvgPoolOp, NamesWhatDoesNotFit) {
  Node node = Op("AvgPoolGrad").Input<int32_t>({4}, {1, 1, 3, 1}).Input<float>({1, 1, 3, 1}, {1, 2, 3}).Late();
  Means(node, {1, 1, 2, 1}, {1, 1, 1, 1}, "VALID");
  RunFails(kWrongImage +
           "input:grad: grad must have the shape of the output of AvgPool, [1,1,2,1], but its shape is [1,1,3");
}

struct Pool {
  Shape ksize, strides;
  std::string padding = "VALID";
  Shape paddings = {};

  template <typename Op>
  Op& SetOn(Op& op) const {
    op.Attr("ksize", ksize).Attr("strides", strides).Attr("padding", padding);
    op.Attr("explicit_paddings", paddings);
    return op;
  }
};

ShapeInferenceTestOp PoolShape(const std::string& name, const Pool& pool) {
  ShapeInferenceTestOp op(name);
  return pool.SetOn(op);
}

TEST(MaxPoolShape, CountsWindows) {
  const Pool valid = {{1, 2, 3, 1}, {1, 2, 1, 1}}, same = {{1, 2, 3, 1}, {1, 2, 1, 1}, "SAME"};
  INFER_OK(PoolShape("MaxPool", valid), "[?,7,9,?]", "[d0_0,3,7,d0_3]");
  INFER_OK(PoolShape("MaxPool", same), "[?,7,?,3]", "[d0_0,4,d0_2,d0_3]");
  INFER_OK(PoolShape("MaxPool", valid), "?", "[?,?,?,?]");
  INFER_OK(PoolShape("MaxPoolGrad", valid), "[?,7,9,?];[2,?,?,?];[?,3,7,4]", "[d1_0,d0_1,d0_2,d2_3]");
  INFER_OK(PoolShape("MaxPoolGradGrad", valid), "[?,7,9,?];[2,?,?,?];[?,?,?,4]", "[d1_0,3,7,d2_3]");
  const Pool channels = {{1, 1, 1, 3}, {1, 1, 1, 3}, "SAME"};
  INFER_OK(PoolShape("MaxPool", channels), "[?,7,9,6]", "[d0_0,d0_1,d0_2,2]");
  INFER_OK(PoolShape("MaxPoolGrad", channels), "[?,7,9,?];[2,?,?,?];[?,7,9,4]", "[d1_0,d0_1,d0_2,12]");
  INFER_ERROR("got", PoolShape("MaxPoolGrad", valid), "[?,7,9,?];[2,?,?,?];[?,3,6,4]");
}

TEST(MaxPoolShape, RefusesAttrsWithoutAMeaning) {
  const auto error = [](const Pool& pool, const std::string& text) {
    INFER_ERROR(text, PoolShape("MaxPool", pool), "[1,4,4,1]");
  };
  error({{1, 2, 2, 2}, {1, 1, 1, 1}},
        "attr:ksize: ksize must be [1, height, width, 1], or [1, 1, 1, channels] for windows of channels, but it is "
        "[1, 2, 2, 2]");
  error({{1, 2, 2, 1}, {1, 1, 1, 3}}, "attr:strides: strides must be [1, height, width, 1]");
  error({{1, 1, 1, 2}, {1, 1, 1, 1}}, "attr:strides: strides must be the same as ksize for windows of channels");
  error({{1, 1, 1, 2}, {1, 1, 1, 2}}, "a window of 2 channels must divide the channels of the images, but there are 1");
  error({{1, 2, 2, 1}, {1, 1, 1, 1}, "EXPLICIT", {0, 0, 1, 2, 0, 0, 0, 0}}, "must be smaller than ksize");
  error({{1, 9, 2, 1}, {1, 1, 1, 1}}, "a window of height 9 does not fit into an image of height 4");
}

struct MaxPoolOp : OpTest {
  template <typename T>
  Node MaxPool(const Pool& pool, const Shape& shape, const std::vector<T>& values) {
    Node node = Op("MaxPool").Input<T>(shape, values);
    return pool.SetOn(node);
  }
};

TEST_F(MaxPoolOp, GivesNaNsAndInfinitiesOn) {
  const float inf = INFINITY;
  MaxPool<float>({{1, 1, 2, 1}, {1, 1, 2, 1}}, {1, 1, 8, 1}, {-inf, -inf, NAN, 1, inf, NAN, -inf, -3});
  RunGives<float>(0, {1, 1, 4, 1}, {-inf, NAN, NAN, -3});
}

TEST_F(MaxPoolOp, GivesNothingForNothing) {
  MaxPool<float>({{1, 2, 2, 1}, {1, 1, 1, 1}, "SAME"}, {0, 3, 3, 1}, {});
  RunGives<float>(0, {0, 3, 3, 1}, {});
  MaxPool<float>({{1, 4, 1, 1}, {1, 1, 1, 1}}, {1, 3, 3, 1}, std::vector<float>(9, 1));
  RunGives<float>(0, {1, 0, 3, 1}, {});
}

TEST_F(MaxPoolOp, TakesWindowsThatAreMuchLargerThanTheImage) {
  constexpr int64_t kHuge = int64_t{1} << 30;
  MaxPool<float>({{1, kHuge, kHuge, 1}, {1, 1, 1, 1}, "SAME"}, {1, 2, 2, 1}, {1, 2, 4, 3});
  RunGives<float>(0, {1, 2, 2, 1}, {4, 4, 4, 4});
}

TEST_F(MaxPoolOp, HasAGradientAtTheFirstNaN) {
  Node node = Op("MaxPoolGrad").Input<float>({1, 1, 3, 1}, {1, NAN, NAN}).Input<float>({1, 1, 1, 1}, {NAN});
  node.Input<float>({1, 1, 1, 1}, {10});
  Pool{{1, 1, 3, 1}, {1, 1, 1, 1}}.SetOn(node);
  RunGives<float>(0, {1, 1, 3, 1}, {0, 10, 0});
}

TEST_F(MaxPoolOp, NamesGradientsOfAnotherShape) {
  Node node = Op("MaxPoolGrad").Input<float>({1, 1, 2, 1}, {1, 2}).Input<float>({1, 1, 1, 1}, {2});
  node.Input<float>({1, 1, 2, 1}, {1, 2}).Late();
  Pool{{1, 1, 2, 1}, {1, 1, 1, 1}}.SetOn(node);
  RunFails(kWrongImage +
           "input:grad: grad must have the shape of the output of MaxPool, [1,1,1,1], but its shape is [1,1,2");
}

}  // namespace
