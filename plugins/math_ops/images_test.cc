// plugins/math_ops/images_test.cc: Conv2D, MaxPool and their gradients: shape functions, errors, edge cases.
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

TEST_F(Conv2DOp, NeedsLittleMemoryForWindowsFarApart) {
  constexpr int64_t kFar = int64_t{1} << 29;
  Node node = Op("Conv2D").Input<float>({1, 1, 2, 1}, {3, 4}).Input<float>({1, 3, 1, 1}, {1, 2, 5});
  node.Attr("strides", Shape{1, 1, kFar, 1}).Attr("dilations", Shape{1, 1, kFar, 1}).Attr("padding", "EXPLICIT");
  node.Attr("explicit_paddings", Shape{0, 0, 0, 0, kFar, kFar, 0, 0});
  RunGives<float>(0, {1, 1, 1, 1}, {6});
}

TEST_F(Conv2DOp, AddsNothingWhereWindowsAreInThePadding) {
  for (const int64_t batch : {1, 9}) {
    std::vector<float> pixels, expected;
    for (int64_t i = 0; i < batch; ++i) {
      pixels.insert(pixels.end(), {static_cast<float>(i + 1), 2});
      const float first = static_cast<float>(i + 1) * 5;
      expected.insert(expected.end(), {0, 0, 0, 0, 0, first, 10, 0, 0, 0, 0, 0});
    }
    Node node = Op("Conv2D").Input<float>({batch, 1, 2, 1}, pixels).Input<float>({1, 1, 1, 1}, {5});
    SetAttrs(node, "EXPLICIT").Attr("explicit_paddings", Shape{0, 0, 1, 1, 1, 1, 0, 0});
    RunGives<float>(0, {batch, 3, 4, 1}, expected);
  }
}

TEST_F(Conv2DOp, TakesFiltersAsLargeAsTheImage) {
  constexpr int64_t kSide = 41;
  std::vector<float> image(kSide * kSide), filter(kSide * kSide, 1), expected;
  image[kSide + 1] = 3;  // it is in all windows but those of the last rows and columns
  for (int64_t i = 0; i < kSide * kSide; ++i) {
    expected.push_back(i / kSide <= kSide / 2 + 1 && i % kSide <= kSide / 2 + 1 ? 3.F : 0.F);
  }
  SetAttrs(Op("Conv2D").Input<float>({1, kSide, kSide, 1}, image).Input<float>({kSide, kSide, 1, 1}, filter), "SAME");
  RunGives<float>(0, {1, kSide, kSide, 1}, expected);
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
  RunFails(kWrong +
           "input:out_backprop: out_backprop must have the shape of the convolved images, which is [1,2,2,1], but its");
}

struct Pool {
  Shape ksize, strides;
  std::string padding = "VALID";
  Shape paddings = {};

  template <typename Op>
  Op& SetOn(Op& op) const {
    op.Attr("ksize", ksize).Attr("strides", strides).Attr("padding", padding);
    if (!paddings.empty()) op.Attr("explicit_paddings", paddings);
    return op;
  }
};

ShapeInferenceTestOp PoolShape(const std::string& name, const Pool& pool) {
  ShapeInferenceTestOp op(name);
  return pool.SetOn(op);
}

TEST(AvgPoolShape, CountsWindows) {
  const Pool windows = {{1, 2, 3, 1}, {1, 2, 1, 1}};
  INFER_OK(PoolShape("AvgPool", windows), "[?,7,9,?]", "[d0_0,3,7,d0_3]");
  ShapeInferenceTestOp gradient = PoolShape("AvgPoolGrad", windows);
  INFER_OK(gradient, "[4];[2,?,?,5]", "[d1_0,?,?,d1_3]");
  gradient.Value<int32_t>(0, {4}, {2, 7, 9, 5});
  INFER_OK(gradient, "[4];[?,3,7,?]", "[2,7,9,5]");
  INFER_ERROR("got", gradient, "[4];[?,3,6,?]");
}

struct AvgPoolOp : OpTest {};

TEST_F(AvgPoolOp, RoundsFloat16Once) {
  // The sum exceeds the range of float16.
  Node node = Op("AvgPool").Input<Half>({1, 1, 2, 1}, {60000, 40000});
  Pool{{1, 1, 2, 1}, {1, 1, 1, 1}}.SetOn(node);
  RunGives<Half>(0, {1, 1, 1, 1}, {50000});
}

TEST_F(AvgPoolOp, HasAGradientInParts) {
  // More rows than in one part. Each pixel gets a quarter of the gradient of each of its windows.
  Node node =
      Op("AvgPoolGrad").Input<int32_t>({4}, {1, 50, 2, 1}).Input<float>({1, 49, 1, 1}, std::vector<float>(49, 4));
  Pool{{1, 2, 2, 1}, {1, 1, 1, 1}}.SetOn(node);
  Run();
  std::vector<float> expected(100, 2);
  expected[0] = expected[1] = expected[98] = expected[99] = 1;
  ExpectOutput<float>(0, {1, 50, 2, 1}, expected);
}

TEST_F(AvgPoolOp, GivesNothingForNothing) {
  Node node = Op("AvgPool").Input<BFloat16>({0, 2, 2, 1}, {});
  Pool{{1, 2, 2, 1}, {1, 1, 1, 1}, "SAME"}.SetOn(node);
  RunGives<BFloat16>(0, {0, 2, 2, 1}, {});
}

TEST_F(AvgPoolOp, NamesWhatDoesNotFit) {
  Node node = Op("AvgPoolGrad").Input<int32_t>({4}, {1, 1, 3, 1}).Input<float>({1, 1, 3, 1}, {1, 2, 3}).Late();
  Pool{{1, 1, 2, 1}, {1, 1, 1, 1}}.SetOn(node);
  RunFails(
      kWrong +
      "input:grad: grad must have the shape of the output of AvgPool, which is [1,1,2,1], but its shape is [1,1,3");
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

TEST_F(MaxPoolOp, GivesTheLargestOfEachOfManyChannels) {
  constexpr int64_t kChannels = 37;  // not a multiple of any vector
  std::vector<float> image, expected;
  for (int64_t pixel = 0; pixel < 9; ++pixel) {
    for (int64_t c = 0; c < kChannels; ++c) {
      image.push_back(pixel == 4 && c == 20 ? NAN : static_cast<float>((pixel * 5 + c) % 9));
    }
  }
  for (int64_t window = 0; window < 4; ++window) {
    for (int64_t c = 0; c < kChannels; ++c) {
      float largest = -1;
      for (int64_t y = window / 2 * 2; y < std::min<int64_t>(window / 2 * 2 + 2, 3); ++y) {
        for (int64_t x = window % 2 * 2; x < std::min<int64_t>(window % 2 * 2 + 2, 3); ++x) {
          const float value = image[static_cast<size_t>((y * 3 + x) * kChannels + c)];
          largest = std::isnan(value) || value > largest ? value : largest;
        }
      }
      expected.push_back(largest);
    }
  }
  MaxPool<float>({{1, 2, 2, 1}, {1, 2, 2, 1}, "SAME"}, {1, 3, 3, kChannels}, image);
  RunGives<float>(0, {1, 2, 2, kChannels}, expected);
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
  RunFails(
      kWrong +
      "input:grad: grad must have the shape of the output of MaxPool, which is [1,1,1,1], but its shape is [1,1,2");
}

}  // namespace
