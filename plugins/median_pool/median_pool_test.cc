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

class MedianPoolTest : public OpTest {
 protected:
  template <typename T>
  Node Pool(const Shape& shape, const std::vector<T>& values, const Shape& ksize, const std::string& padding = "SAME",
            const Shape& strides = {1, 1}) {
    Node node = Op("MedianPool").Input<T>(shape, values);
    return node.Attr("ksize", ksize).Attr("strides", strides).Attr("padding", padding);
  }
};

TEST_F(MedianPoolTest, GivesNothingForNothing) {
  for (const Shape& shape : {Shape{0, 5, 5, 1}, Shape{1, 0, 5, 1}, Shape{1, 5, 5, 0}}) {
    Pool<float>(shape, {}, {3, 3});
    RunGives<float>(0, shape, {});
  }
}

TEST_F(MedianPoolTest, TakesWindowsLargerThanTheImageIfTheyAreCut) {
  Pool<uint8_t>({1, 3}, {7, 9, 8}, {9, 9});
  RunGives<uint8_t>(0, {1, 3}, {8, 8, 8});
  Pool<uint8_t>({1, 3}, {7, 9, 8}, {9, 9}, "VALID").Late();
  RunFails(
      "INVALID_ARGUMENT: attr:ksize: a window of height 9 does not fit into an input of height 1; padding SAME cuts "
      "windows at the border");
}

TEST_F(MedianPoolTest, RefusesWhatIsNoImage) {
  Pool<float>({2}, {1, 2}, {3, 3}).Late();
  RunFails(
      "INVALID_ARGUMENT: input:input: input must have 2 dimensions (height, width), 3 (with channels) or 4 (with a "
      "batch "
      "before), but its shape is [2]");
}

TEST_F(MedianPoolTest, GivesTheSameHoweverItIsCut) {
  std::vector<uint8_t> image(64 * 64);
  for (size_t i = 0; i < image.size(); ++i) image[i] = static_cast<uint8_t>(i * 2654435761u >> 7);
  Pool<uint8_t>({64, 64}, image, {5, 5});
  Run();
  const Array whole = Output(0);
  CutLoops();
  RunGives(last(), 0, whole);
}

TEST(MedianPoolGradShape, IsTheInputs) {
  opsrun::test::ShapeInferenceTestOp op("MedianPoolGrad");
  op.Attr("ksize", {2, 2}).Attr("padding", "VALID");
  INFER_OK(op, "[3,?];[2,?]", "in0");
  INFER_ERROR("input:grad: grad must have the shape [2,2], but its shape is [3,3]", op, "[3,3];[3,3]");
}

class MedianPoolGradTest : public opsrun::test::OpTest {};

TEST_F(MedianPoolGradTest, GoesToTheFirstOfEqualMedians) {
  Op("MedianPoolGrad")
      .Input<float>({2, 3}, {5, 5, 1, 7, 2, 9})
      .Input<float>({1, 2}, {10, 1})
      .Attr("ksize", {2, 2})
      .Attr("padding", "VALID");
  RunGives<float>(0, {2, 3}, {10, 0, 0, 0, 1, 0});
}

TEST_F(MedianPoolGradTest, TakesWhatStandsAtTheMedians) {
  Op("MedianPoolGradGrad")
      .Input<float>({2, 3}, {5, 5, 1, 7, 2, 9})
      .Input<float>({2, 3}, {1, 2, 3, 4, 5, 6})
      .Attr("ksize", {2, 2})
      .Attr("padding", "VALID");
  RunGives<float>(0, {1, 2}, {1, 5});
}

}  // namespace
