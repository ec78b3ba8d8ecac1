// plugins/math_ops/conv2d_test.cc: Conv2D and its gradients, as the plugin's users get them.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "linear_ops_test.h"

namespace linear_ops_test {
namespace {

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

// A convolution by its definition, from which the naive gradients follow too.
struct NaiveConv {
  int64_t batch, height, width, channels, filter_height, filter_width, filters;
  Shape strides = {1, 1, 1, 1}, dilations = {1, 1, 1, 1}, paddings;  // of EXPLICIT
  std::string padding = "VALID";
  std::vector<float> images, filter, gradient;

  Shape ImagesShape() const { return {batch, height, width, channels}; }
  Shape FilterShape() const { return {filter_height, filter_width, channels, filters}; }
  Shape OutputShape() const { return {batch, Windows(0), Windows(1), filters}; }

  int64_t Size(size_t side) const { return side == 0 ? height : width; }
  int64_t Extent(size_t side) const {
    return ((side == 0 ? filter_height : filter_width) - 1) * dilations[side + 1] + 1;
  }
  int64_t Windows(size_t side) const {
    const int64_t stride = strides[side + 1];
    if (padding == "SAME") return (Size(side) + stride - 1) / stride;
    return (Padded(side) - Extent(side) + stride) / stride;
  }
  int64_t Padded(size_t side) const {
    return Size(side) + (padding == "EXPLICIT" ? paddings[2 + 2 * side] + paddings[3 + 2 * side] : 0);
  }
  int64_t Before(size_t side) const {
    if (padding == "SAME") {
      return std::max<int64_t>((Windows(side) - 1) * strides[side + 1] + Extent(side) - Size(side), 0) / 2;
    }
    return padding == "EXPLICIT" ? paddings[2 + 2 * side] : 0;
  }

  // Calls fn(image element, filter element, output element) for each product.
  template <typename Fn>
  void ForProducts(const Fn& fn) const {
    const Shape out = OutputShape();
    for (int64_t i = 0; i < Elements(out) * filter_height * filter_width * channels; ++i) {
      int64_t rest = i;
      const auto next = [&](int64_t size) { return std::exchange(rest, rest / size) % size; };
      const int64_t f = next(filters), c = next(channels), kx = next(filter_width), ky = next(filter_height);
      const int64_t ox = next(out[2]), oy = next(out[1]), n = rest;
      const int64_t y = oy * strides[1] - Before(0) + ky * dilations[1];
      const int64_t x = ox * strides[2] - Before(1) + kx * dilations[2];
      if (y < 0 || y >= height || x < 0 || x >= width) continue;
      fn(static_cast<size_t>(((n * height + y) * width + x) * channels + c),
         static_cast<size_t>(((ky * filter_width + kx) * channels + c) * filters + f),
         static_cast<size_t>(((n * out[1] + oy) * out[2] + ox) * filters + f));
    }
  }
  std::vector<float> Output() const {
    std::vector<float> out(static_cast<size_t>(Elements(OutputShape())));
    ForProducts([&](size_t i, size_t f, size_t o) { out[o] += images[i] * filter[f]; });
    return out;
  }
  std::vector<float> ImagesGradient() const {
    std::vector<float> out(images.size());
    ForProducts([&](size_t i, size_t f, size_t o) { out[i] += gradient[o] * filter[f]; });
    return out;
  }
  std::vector<float> FilterGradient() const {
    std::vector<float> out(filter.size());
    ForProducts([&](size_t i, size_t f, size_t o) { out[f] += gradient[o] * images[i]; });
    return out;
  }
};

NaiveConv RandomConv(SmallNumbers* random) {
  const auto from1 = [&](int64_t end) { return 1 + random->Below(end); };
  NaiveConv conv = {random->Below(3), from1(9), from1(40), from1(5), from1(4), from1(4), from1(6)};
  conv.strides = {1, from1(4), from1(4), 1};
  conv.dilations = {1, from1(3), from1(2), 1};
  const char* const kPaddings[] = {"SAME", "VALID", "EXPLICIT"};
  conv.padding = kPaddings[random->Below(3)];
  if (conv.padding == "EXPLICIT") conv.paddings = {0, 0, random->Below(3), random->Below(3), random->Below(9), 0, 0, 0};
  if (conv.padding == "VALID") {
    conv.height += conv.Extent(0);
    conv.width += conv.Extent(1);
  } else {
    conv.height = std::max(conv.height, conv.Extent(0));
    conv.width = std::max(conv.width, conv.Extent(1));
  }
  conv.images = random->Values<float>(conv.ImagesShape());
  conv.filter = random->Values<float>(conv.FilterShape());
  conv.gradient = random->Values<float>(conv.OutputShape());
  return conv;
}

struct Conv2DOp : OpTest {
  template <typename T>
  static Array As(const Shape& shape, const std::vector<float>& values) {
    std::vector<T> converted;
    for (const float value : values) converted.push_back(static_cast<T>(value));
    return ArrayOf<T>(shape, converted);
  }
  static Array Sizes(const Shape& shape) {
    return ArrayOf<int32_t>({4}, std::vector<int32_t>(shape.begin(), shape.end()));
  }
  static Node SetAttrs(Node node, const NaiveConv& conv) {
    return node.Attr("strides", conv.strides)
        .Attr("dilations", conv.dilations)
        .Attr("padding", conv.padding)
        .Attr("explicit_paddings", conv.paddings);
  }

  template <typename T>
  void AgreesWithNaiveLoops(const NaiveConv& conv) {
    const Array images = As<T>(conv.ImagesShape(), conv.images), filter = As<T>(conv.FilterShape(), conv.filter);
    const Array gradient = As<T>(conv.OutputShape(), conv.gradient);
    SetAttrs(Op("Conv2D").Input(images).Input(filter), conv);
    Run();
    ExpectOutput(last(), 0, As<T>(conv.OutputShape(), conv.Output()));
    SetAttrs(Op("Conv2DBackpropInput").Input(Sizes(conv.ImagesShape())).Input(filter).Input(gradient), conv);
    Run();
    ExpectOutput(last(), 0, As<T>(conv.ImagesShape(), conv.ImagesGradient()));
    SetAttrs(Op("Conv2DBackpropFilter").Input(images).Input(Sizes(conv.FilterShape())).Input(gradient), conv);
    Run();
    ExpectOutput(last(), 0, As<T>(conv.FilterShape(), conv.FilterGradient()));
  }
};

TEST_F(Conv2DOp, AgreesWithNaiveLoops) {
  SmallNumbers random(1);
  for (int i = 0; i < 40; ++i) {
    SCOPED_TRACE(i);
    AgreesWithNaiveLoops<float>(RandomConv(&random));
  }
}

TEST_F(Conv2DOp, AgreesWithNaiveLoopsInEveryType) {
  SmallNumbers random(2);
  NaiveConv conv = RandomConv(&random);
  AgreesWithNaiveLoops<Half>(conv);
  AgreesWithNaiveLoops<double>(conv);
  AgreesWithNaiveLoops<int32_t>(conv);
  conv.filter.assign(conv.filter.size(), 1);  // so that sums are exact with the 8 bits of a bfloat16
  conv.images.assign(conv.images.size(), 1);
  conv.gradient.assign(conv.gradient.size(), 0);
  AgreesWithNaiveLoops<BFloat16>(conv);
}

TEST_F(Conv2DOp, AgreesWithNaiveLoopsInParts) {
  // More rows than one part has, more windows than are copied at a time, and more images than have parts of their own.
  SmallNumbers random(3);
  for (const Shape& sizes : {Shape{1, 50, 60, 3}, Shape{40, 6, 5, 2}}) {
    NaiveConv conv = {sizes[0], sizes[1], sizes[2], sizes[3], 3, 3, 4};
    conv.padding = "SAME";
    conv.images = random.Values<float>(conv.ImagesShape());
    conv.filter = random.Values<float>(conv.FilterShape());
    conv.gradient = random.Values<float>(conv.OutputShape());
    AgreesWithNaiveLoops<float>(conv);
  }
}

TEST_F(Conv2DOp, MultipliesPixelsWithoutAWindow) {
  SmallNumbers random(4);
  NaiveConv conv = {2, 5, 6, 7, 1, 1, 3};
  conv.images = random.Values<float>(conv.ImagesShape());
  conv.filter = random.Values<float>(conv.FilterShape());
  conv.gradient = random.Values<float>(conv.OutputShape());
  AgreesWithNaiveLoops<float>(conv);
  AgreesWithNaiveLoops<Half>(conv);
}

TEST_F(Conv2DOp, GivesNothingOrZerosForNothing) {
  for (const Shape& sizes : {Shape{0, 3, 3, 2, 2}, Shape{1, 3, 3, 0, 2}, Shape{1, 3, 3, 2, 0}}) {
    NaiveConv conv = {sizes[0], sizes[1], sizes[2], sizes[3], 2, 2, sizes[4]};
    conv.padding = "SAME";
    conv.images.assign(static_cast<size_t>(Elements(conv.ImagesShape())), 1);
    conv.filter.assign(static_cast<size_t>(Elements(conv.FilterShape())), 1);
    conv.gradient.assign(static_cast<size_t>(Elements(conv.OutputShape())), 1);
    AgreesWithNaiveLoops<float>(conv);
  }
}

TEST_F(Conv2DOp, HasNoWorkForHugeImagesWithoutChannels) {
  constexpr int64_t kHuge = int64_t{1} << 30;
  Node node = Op("Conv2DBackpropFilter").Input<float>({1, kHuge, kHuge, 0}, {}).Input(Sizes({1, 1, 0, 0}));
  node.Input<float>({1, kHuge, kHuge, 0}, {}).Attr("strides", Shape{1, 1, 1, 1}).Attr("padding", "SAME");
  Run();
  ExpectOutput<float>(0, {1, 1, 0, 0}, {});
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
    node.Attr("strides", Shape{1, 1, 1, 1}).Attr("padding", "SAME");
    Run();
    const Array whole = Output(0);
    CutLoops();
    Run();
    ExpectOutput(last(), 0, whole);
  }
}

TEST_F(Conv2DOp, NamesWhatDoesNotFit) {
  const auto conv = [&](const Shape& images, const Shape& filter) {
    Node node = Op("Conv2D").Input(Array::Zeros(OPSRUN_DT_FLOAT, images)).Input(Array::Zeros(OPSRUN_DT_FLOAT, filter));
    node.Attr("strides", Shape{1, 1, 1, 1}).Attr("padding", "VALID").Late();
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
  Node node = Op("Conv2DBackpropInput").Input(Sizes({1, 3, 3, 1})).Input(Array::Zeros(OPSRUN_DT_FLOAT, {2, 2, 1, 1}));
  node.Input(Array::Zeros(OPSRUN_DT_FLOAT, {1, 3, 2, 1})).Late();
  node.Attr("strides", Shape{1, 1, 1, 1}).Attr("padding", "VALID");
  RunFails(kWrong + "input:out_backprop: out_backprop must have the shape of the convolved images, [1,2,2,1], but its");
}

}  // namespace
}  // namespace linear_ops_test
