// plugins/math_ops/conv2d_test.cc: Conv2D and its gradients: shape functions, errors, edge cases.
// tests/numpy/linear_ops.py compares their results with NumPy's.
// SPDX-License-Identifier: Apache-2.0

#include "opsrun/testing.h"

namespace {

using namespace opsrun::test;

const std::string kWrong = "INVALID_ARGUMENT: ";

ShapeInferenceTestOp ConvShape(const std::string& op, const std::string& padding, const Shape& strides = {1, 1, 1, 1}) {
  return ShapeInferenceTestOp(op).Attr("padding", padding).Attr("strides", strides);
}

TEST(Conv2DShape, CountsWindows) {
  INFER_OK(ConvShape("Conv2D", "VALID"), "[?,9,7,3];[3,5,?,8]", "[d0_0,7,3,d1_3]");
  INFER_OK(ConvShape("Conv2D", "SAME"), "[2,?,7,3];[?,?,3,8]", "[d0_0,d0_1,d0_2,d1_3]");
  INFER_OK(ConvShape("Conv2D", "SAME", {1, 2, 3, 1}), "[2,9,7,3];?", "[d0_0,5,3,?]");
  INFER_OK(ConvShape("Conv2D", "VALID", {1, 4, 1, 1}), "[2,3,?,3];[6,2,3,8]", "[d0_0,0,?,d1_3]");
  INFER_OK(ConvShape("Conv2D", "VALID").Attr("dilations", Shape{1, 2, 3, 1}), "[1,9,9,1];[3,3,1,1]", "[d0_0,5,3,d1_3]");
  INFER_OK(ConvShape("Conv2D", "EXPLICIT").Attr("explicit_paddings", Shape{0, 0, 1, 2, 3, 0, 0, 0}),
           "[1,4,4,1];[3,3,1,1]", "[d0_0,5,5,d1_3]");
}

TEST(Conv2DShape, OfTheGradientsIsInTheSizes) {
  ShapeInferenceTestOp input = ConvShape("Conv2DBackpropInput", "VALID");
  INFER_OK(input, "[4];[3,3,2,8];[?,?,?,8]", "[d2_0,?,?,d1_2]");
  input.Value<int32_t>(0, {4}, {1, 5, 5, 2});
  INFER_OK(input, "[4];[3,3,2,8];[?,3,3,8]", "[1,5,5,2]");
  INFER_ERROR("got", input, "[4];[3,3,2,8];[?,4,3,8]");
  ShapeInferenceTestOp filter = ConvShape("Conv2DBackpropFilter", "VALID");
  filter.Value<int32_t>(1, {4}, {3, 3, 2, 8});
  INFER_OK(filter, "[?,5,5,2];[4];?", "[3,3,d0_3,8]");
}

TEST(Conv2DShape, RefusesAttrsWithoutAMeaning) {
  const auto error = [](ShapeInferenceTestOp op, const std::string& text) {
    INFER_ERROR(text, op, "[1,4,4,1];[3,3,1,1]");
  };
  error(ConvShape("Conv2D", "SAME", {1, 2}), "attr:strides: strides must be [1, height, width, 1], but it is [1, 2]");
  error(ConvShape("Conv2D", "SAME", {2, 1, 1, 1}), "attr:strides: strides must be [1, height, width, 1]");
  error(ConvShape("Conv2D", "SAME", {1, 1, 0, 1}), "attr:strides: strides must have a width between 1 and 1073741824");
  error(ConvShape("Conv2D", "SAME").Attr("explicit_paddings", Shape(8, 0)), "attr:explicit_paddings");
  error(ConvShape("Conv2D", "EXPLICIT"), "must be [0, 0, top, bottom, left, right, 0, 0], but it is []");
  error(ConvShape("Conv2D", "EXPLICIT").Attr("explicit_paddings", Shape{0, 0, -1, 0, 0, 0, 0, 0}), "between 0 and");
  error(ConvShape("Conv2D", "SAME").Attr("data_format", "NCHW"),
        "UNIMPLEMENTED: attr:data_format: data_format is NCHW, but there are only kernels for NHWC");
}

TEST(Conv2DShape, RefusesShapesThatDoNotFit) {
  INFER_ERROR("a window of height 5 does not fit into an image of height 3", ConvShape("Conv2D", "VALID"),
              "[1,3,9,1];[5,1,1,1]");
  INFER_ERROR("a height of 1073741825 is more than 1073741824", ConvShape("Conv2D", "VALID"),
              "[0,1073741825,9,1];[5,1,1,1]");
  INFER_ERROR("got 2 and 3", ConvShape("Conv2D", "VALID"), "[1,3,9,2];[1,1,3,1]");
  INFER_ERROR("there are no convolutions of groups", ConvShape("Conv2D", "VALID"), "[1,3,9,4];[1,1,2,1]");
  INFER_ERROR("input:input", ConvShape("Conv2D", "VALID"), "[3,9,2];[1,1,3,1]");
}

struct Conv2DOp : OpTest {
  static Array Sizes(const Shape& shape) {
    return ArrayOf<int32_t>({4}, std::vector<int32_t>(shape.begin(), shape.end()));
  }
  static Array Zeros(const Shape& shape) { return Array::Zeros(OPSRUN_DT_FLOAT, shape); }
  static Node SetAttrs(Node node, const char* padding) {
    return node.Attr("strides", Shape{1, 1, 1, 1}).Attr("padding", padding);
  }
};

TEST_F(Conv2DOp, GivesNothingOrZerosWithoutFilters) {
  const Array images = Zeros({1, 3, 3, 2}), filters = Zeros({2, 2, 2, 0}), nothing = Zeros({1, 3, 3, 0});
  SetAttrs(Op("Conv2D").Input(images).Input(filters), "SAME");
  RunGives(last(), 0, nothing);
  SetAttrs(Op("Conv2DBackpropInput").Input(Sizes({1, 3, 3, 2})).Input(filters).Input(nothing), "SAME");
  RunGives(last(), 0, images);
  SetAttrs(Op("Conv2DBackpropFilter").Input(images).Input(Sizes({2, 2, 2, 0})).Input(nothing), "SAME");
  RunGives(last(), 0, filters);
}

TEST_F(Conv2DOp, HasNoWorkForHugeImagesWithoutChannels) {
  constexpr int64_t kHuge = int64_t{1} << 30;
  Node node = Op("Conv2DBackpropFilter").Input<float>({1, kHuge, kHuge, 0}, {}).Input(Sizes({1, 1, 0, 0}));
  SetAttrs(node.Input<float>({1, kHuge, kHuge, 0}, {}), "SAME");
  RunGives<float>(0, {1, 1, 0, 0}, {});
}

TEST_F(Conv2DOp, GivesTheSameHoweverItIsCut) {
  std::vector<float> values(64 * 64 * 3);
  for (size_t i = 0; i < values.size(); ++i) values[i] = 1.0F / static_cast<float>(i + 1);
  for (const char* op : {"Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"}) {
    Node node = Op(op);
    if (std::string(op) == "Conv2D") {
      node.Input<float>({1, 64, 64, 3}, values).Input<float>({3, 3, 3, 1}, std::vector<float>(27, 0.3F));
    } else if (std::string(op) == "Conv2DBackpropInput") {
      node.Input(Sizes({1, 64, 64, 1})).Input<float>({3, 3, 1, 3}, std::vector<float>(27, 0.3F));
      node.Input<float>({1, 64, 64, 3}, values);
    } else {
      node.Input<float>({1, 64, 64, 3}, values).Input(Sizes({3, 3, 3, 3})).Input<float>({1, 64, 64, 3}, values);
    }
    SetAttrs(node, "SAME");
    Run();
    const Array whole = Output(0);
    CutLoops();
    RunGives(last(), 0, whole);
  }
}

TEST_F(Conv2DOp, NamesWhatDoesNotFit) {
  const auto conv = [&](const Shape& images, const Shape& filter) {
    SetAttrs(Op("Conv2D").Input(Zeros(images)).Input(Zeros(filter)), "VALID").Late();
  };
  const std::string wrong = kWrong + "input:input input:filter: ";
  conv({1, 3, 3, 2}, {2, 2, 3, 1});
  RunFails(wrong + "the images have 2 channels (dimension 3), but the filter is for 3 (dimension 2)");
  conv({1, 3, 3, 2}, {5, 2, 2, 1});
  RunFails(wrong + "a window of height 5 does not fit into an image of height 3; padding SAME adds");
  conv({3, 3, 2}, {4, 2, 2, 1});
  RunFails(wrong + "the shape of images must have 4 dimensions, but it is [3,3,2]");
}

TEST_F(Conv2DOp, NamesGradientsOfAnotherShape) {
  Node node = Op("Conv2DBackpropInput").Input(Sizes({1, 3, 3, 1})).Input(Zeros({2, 2, 1, 1}));
  SetAttrs(node.Input(Zeros({1, 3, 2, 1})).Late(), "VALID");
  RunFails(kWrong + "input:out_backprop: out_backprop must have the shape of the convolved images, [1,2,2,1], but its");
}

}  // namespace
