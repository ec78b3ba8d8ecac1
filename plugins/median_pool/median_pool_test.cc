// plugins/median_pool/median_pool_test.cc: MedianPool as users run it.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/testing.h"

namespace {

using namespace opsrun::test;

ShapeInferenceTestOp Window(const Shape& ksize, const std::string& padding = "SAME", const Shape& strides = {1, 1}) {
  return ShapeInferenceTestOp("MedianPool").Attr("ksize", ksize).Attr("strides", strides).Attr("padding", padding);
}

TEST(MedianPoolShape, InfersEveryLayout) {
  INFER_OK(Window({3, 3}), "?", "?");
  INFER_OK(Window({3, 3}), "[?,7]", "[d0_0,d0_1]");
  INFER_OK(Window({3, 5}, "VALID"), "[9,7]", "[7,3]");
  INFER_OK(Window({3, 5}, "VALID"), "[?,7,3]", "[?,3,d0_2]");
  INFER_OK(Window({3, 3}, "SAME", {2, 3}), "[?,9,7,3]", "[d0_0,5,3,d0_3]");
}

class MedianPoolTest : public OpTest {};

TEST_F(MedianPoolTest, GivesTheSameHoweverItIsCut) {
  std::vector<uint8_t> image(64 * 64);
  for (size_t i = 0; i < image.size(); ++i) image[i] = static_cast<uint8_t>(i * 2654435761u >> 7);
  Op("MedianPool").Input<uint8_t>({64, 64}, image).Attr("ksize", Shape{5, 5});
  Run();
  const Array whole = Output(0);
  CutLoops();
  RunGives(last(), 0, whole);
}

TEST(MedianPoolGradShape, IsTheInputs) {
  ShapeInferenceTestOp op("MedianPoolGrad");
  op.Attr("ksize", {2, 2}).Attr("padding", "VALID");
  INFER_OK(op, "[3,?];[2,?]", "in0");
  INFER_ERROR("input:grad: grad must have the shape [2,2], but its shape is [3,3]", op, "[3,3];[3,3]");
}

TEST_F(MedianPoolTest, GradientGoesToTheFirstOfEqualMedians) {
  Op("MedianPoolGrad")
      .Input<float>({2, 3}, {5, 5, 1, 7, 2, 9})
      .Input<float>({1, 2}, {10, 1})
      .Attr("ksize", {2, 2})
      .Attr("padding", "VALID");
  RunGives<float>(0, {2, 3}, {10, 0, 0, 0, 1, 0});
}

TEST_F(MedianPoolTest, SecondGradientIsWhatStandsAtTheMedians) {
  Op("MedianPoolGradGrad")
      .Input<float>({2, 3}, {5, 5, 1, 7, 2, 9})
      .Input<float>({2, 3}, {1, 2, 3, 4, 5, 6})
      .Attr("ksize", {2, 2})
      .Attr("padding", "VALID");
  RunGives<float>(0, {1, 2}, {1, 5});
}

}  // namespace
