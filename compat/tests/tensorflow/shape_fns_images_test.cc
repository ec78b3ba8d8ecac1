// compat/tests/tensorflow/shape_fns_images_test.cc: the shapes of windows, convolutions and their gradients. What is
// expected is what TensorFlow 2.15 infers.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tests/sdk/outputs.h"

namespace tensorflow {
namespace {

using opsrun_test::FakeHost;
using opsrun_test::FakeShapeCall;
using opsrun_test::Outputs;
using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// The number of windows of the size d0_1 along d0_0.
std::string Windows(const std::string& sizes, int64_t dilation, int64_t stride, Padding padding) {
  return Outputs(sizes, [&](InferenceContext* c) -> Status {
    DimensionHandle out;
    TF_RETURN_IF_ERROR(shape_inference::GetWindowedOutputSizeFromDimsV2(
        c, c->Dim(c->input(0), 0), c->Dim(c->input(0), 1), dilation, stride, padding, 1, 2, &out));
    c->set_output(0, c->Vector(out));
    return Status();
  });
}

TEST(WindowsFromDims, AreCounted) {
  EXPECT_EQ(Windows("[7,3]", 1, 2, VALID), "[3]");
  EXPECT_EQ(Windows("[7,3]", 2, 2, VALID), "[2]");
  EXPECT_EQ(Windows("[7,3]", 1, 2, SAME), "[4]");
  EXPECT_EQ(Windows("[7,3]", 1, 2, EXPLICIT), "[4]");
  EXPECT_EQ(Windows("[?,3]", 1, 2, VALID), "[?]");
  EXPECT_EQ(Windows("[2,3]", 1, 2, VALID), "INVALID_ARGUMENT");
  EXPECT_EQ(Windows("[7,3]", 1, 0, VALID), "INVALID_ARGUMENT");
  EXPECT_EQ(Windows("[7,3]", 0, 1, SAME), "INVALID_ARGUMENT");
}

TEST(WindowsFromDims, HaveAnOlderNameWithoutDilationAndZeros) {
  const auto windows = [](Padding padding) {
    return Outputs("[7]", [padding](InferenceContext* c) -> Status {
      DimensionHandle out;
      TF_RETURN_IF_ERROR(
          shape_inference::GetWindowedOutputSizeFromDims(c, c->Dim(c->input(0), 0), 3, 2, padding, &out));
      c->set_output(0, c->Vector(out));
      return Status();
    });
  };
  EXPECT_EQ(windows(VALID), "[3]");
  EXPECT_EQ(windows(EXPLICIT), "INTERNAL");
}

TEST(MakeShapeFromFormat, PutsThePartsInOrder) {
  const auto shape_in = [](TensorFormat format) {
    return Outputs("[]", [format](InferenceContext* c) -> Status {
      ShapeHandle out;
      TF_RETURN_IF_ERROR(shape_inference::MakeShapeFromFormat(format, 2, {5, -1}, 3, &out, c));
      c->set_output(0, out);
      return Status();
    });
  };
  EXPECT_EQ(shape_in(FORMAT_NHWC), "[2,5,?,3]");
  EXPECT_EQ(shape_in(FORMAT_NCHW), "[2,3,5,?]");
  EXPECT_EQ(shape_in(FORMAT_HWCN), "[5,?,3,2]");
  EXPECT_EQ(shape_in(FORMAT_NCHW_VECT_C), "[2,3,5,?,4]");
}

// What a convolution has beside its inputs.
struct Conv {
  std::string format = "NHWC", padding = "SAME", filter = "HWIO";
  std::vector<int64_t> strides = {1, 1, 1, 1}, dilations = {1, 1, 1, 1}, zeros = {};
};

template <typename Fn>
std::string Convolve(const std::string& inputs, Fn fn, const Conv& conv = {}, uint32_t n_out = 1) {
  FakeHost host;
  FakeShapeCall call(host, inputs, n_out);
  call.attrs.String("data_format", conv.format).String("padding", conv.padding).String("filter_format", conv.filter);
  call.attrs.Ints("strides", conv.strides).Ints("dilations", conv.dilations).Ints("explicit_paddings", conv.zeros);
  return Outputs(call, fn);
}

TEST(Conv2DShape, HasAWindowForEachStride) {
  const auto conv = shape_inference::Conv2DShape;
  EXPECT_EQ(Convolve("[2,7,?,3];[3,3,3,5]", conv), "[d0_0,d0_1,d0_2,d1_3]");
  EXPECT_EQ(Convolve("[2,7,9,3];[3,3,3,5]", conv, {"NHWC", "VALID", "HWIO", {1, 2, 3, 1}}), "[d0_0,3,3,d1_3]");
  EXPECT_EQ(Convolve("[2,3,7,9];[3,3,3,5]", conv, {"NCHW", "VALID", "HWIO", {1, 1, 2, 3}}), "[d0_0,d1_3,3,3]");
  EXPECT_EQ(Convolve("[2,7,9,3];[5,3,3,3]", conv, {"NHWC", "VALID", "OIHW"}), "[d0_0,5,7,d1_0]");
  EXPECT_EQ(Convolve("[2,7,9,3];[3,3,3,5]", conv, {"NHWC", "VALID", "HWIO", {1, 1, 1, 1}, {1, 2, 3, 1}}),
            "[d0_0,3,3,d1_3]");
  EXPECT_EQ(Convolve("?;?", conv), "[?,?,?,?]");
}

TEST(Conv2DShape, HasGroupsOfChannels) {
  const auto conv = shape_inference::Conv2DShape;
  EXPECT_EQ(Convolve("[2,7,7,4];[3,3,2,6]", conv), "[d0_0,d0_1,d0_2,d1_3]");
  EXPECT_EQ(Convolve("[2,7,7,4];[3,3,2,5]", conv), "INVALID_ARGUMENT");
  EXPECT_EQ(Convolve("[2,7,7,4];[3,3,3,6]", conv), "INVALID_ARGUMENT");
  EXPECT_EQ(Convolve("[2,7,7,4];[3,3,0,6]", conv), "INVALID_ARGUMENT");
  EXPECT_EQ(Convolve("[2,7,7,0];[3,3,2,6]", conv), "INVALID_ARGUMENT");
}

TEST(Conv2DShape, RefusesAttrsThatDoNotFit) {
  const auto conv = shape_inference::Conv2DShape;
  EXPECT_EQ(Convolve("[2,7,7,4];[3,3,4,6]", conv, {"CHWN"}), "INVALID_ARGUMENT");
  EXPECT_EQ(Convolve("[2,7,7,4];[3,3,4,6]", conv, {"NHWC", "SAME", "IOHW"}), "INVALID_ARGUMENT");
  EXPECT_EQ(Convolve("[2,7,7,4];[3,3,4,6]", conv, {"NHWC", "SAME", "HWIO", {1, 1}}), "INVALID_ARGUMENT");
  EXPECT_EQ(Convolve("[2,7,7,4];[3,3,4,6]", conv, {"NHWC", "EXPLICIT"}), "INVALID_ARGUMENT");
  EXPECT_EQ(Convolve("[2,7,7];[3,3,4,6]", conv), "INVALID_ARGUMENT");
}

TEST(Conv2DShape, TakesPackedChannels) {
  const auto conv = shape_inference::Conv2DShape;
  EXPECT_EQ(Convolve("[2,3,7,7,4];[8,3,3,3,4]", conv, {"NCHW_VECT_C", "VALID", "OIHW_VECT_I"}), "[d0_0,2,5,5,4]");
  EXPECT_EQ(Convolve("[2,3,7,7,5];[8,3,3,3,4]", conv, {"NCHW_VECT_C", "VALID", "OIHW_VECT_I"}), "INVALID_ARGUMENT");
}

TEST(Conv2DShapeWithExplicitPadding, AddsZeros) {
  const auto conv = shape_inference::Conv2DShapeWithExplicitPadding;
  const std::vector<int64_t> ones = {1, 1, 1, 1};
  EXPECT_EQ(Convolve("[2,7,7,4];[3,3,4,6]", conv, {"NHWC", "EXPLICIT", "HWIO", ones, ones, {0, 0, 1, 2, 3, 0, 0, 0}}),
            "[d0_0,8,8,d1_3]");
  EXPECT_EQ(Convolve("[2,4,7,7];[3,3,4,6]", conv, {"NCHW", "EXPLICIT", "HWIO", ones, ones, {0, 0, 0, 0, 1, 2, 3, 0}}),
            "[d0_0,d1_3,8,8]");
  EXPECT_EQ(Convolve("[2,7,7,4];[3,3,4,6]", conv, {"NHWC", "EXPLICIT", "HWIO", ones, ones, {0, 1, 1, 2, 3, 0, 0, 0}}),
            "INVALID_ARGUMENT");
  EXPECT_EQ(Convolve("[2,7,7,4];[3,3,4,6]", conv, {"NHWC", "SAME", "HWIO", ones, ones, {0, 0}}), "INVALID_ARGUMENT");
}

TEST(Conv3DShape, HasThreeDimensionsOfSpace) {
  const auto conv = shape_inference::Conv3DShape;
  const std::vector<int64_t> ones = {1, 1, 1, 1, 1};
  EXPECT_EQ(Convolve("[2,7,8,9,3];[2,2,2,3,5]", conv, {"NDHWC", "VALID", "", {1, 1, 2, 3, 1}, ones}),
            "[d0_0,6,4,3,d1_4]");
  EXPECT_EQ(Convolve("[2,3,7,8,9];[2,2,2,3,5]", conv, {"NCDHW", "VALID", "", {1, 1, 1, 2, 3}, ones}),
            "[d0_0,d1_4,6,4,3]");
  EXPECT_EQ(Convolve("[2,7,8,9,3];[2,2,2,3,5]", conv, {"NDHWC", "VALID", ""}), "INVALID_ARGUMENT");
}

TEST(DepthwiseConv2DNativeShape, MultipliesTheChannels) {
  const auto conv = shape_inference::DepthwiseConv2DNativeShape;
  EXPECT_EQ(Convolve("[2,7,7,3];[3,3,3,2]", conv), "[d0_0,d0_1,d0_2,6]");
  EXPECT_EQ(Convolve("[2,?,7,7];[3,3,3,2]", conv, {"NCHW", "VALID"}), "[d0_0,6,5,5]");
  EXPECT_EQ(Convolve("[2,7,7,3];[3,3,4,2]", conv), "INVALID_ARGUMENT");
  EXPECT_EQ(Convolve("[2,7,7,3];[3,3,3,2]", shape_inference::DepthwiseConv2DNativeShapeWithExplicitPadding,
                     {"NHWC", "EXPLICIT", "HWIO", {1, 1, 1, 1}, {1, 1, 1, 1}, {0, 0, 1, 2, 3, 0, 0, 0}}),
            "[d0_0,8,8,6]");
}

TEST(QuantizedConv2DShape, HasScalarsThatBoundTheElements) {
  const auto conv = shape_inference::QuantizedConv2DShape;
  EXPECT_EQ(Convolve("[2,7,7,3];[3,3,3,2];[];[];[];?", conv, {}, 3), "[d0_0,d0_1,d0_2,d1_3];[];[]");
  EXPECT_EQ(Convolve("[2,7,7,3];[3,3,3,2];[];[];[];[1]", conv, {}, 3), "INVALID_ARGUMENT");
}

std::string Backprop(const std::string& inputs, const std::vector<int32_t>& sizes, const std::string& format = "NHWC") {
  FakeHost host;
  FakeShapeCall call(host, inputs);
  call.attrs.String("data_format", format);
  call.Value<int32_t>(0, {static_cast<int64_t>(sizes.size())}, sizes);
  return Outputs(call, shape_inference::Conv2DBackpropInputShape);
}

TEST(Conv2DBackpropInputShape, HasTheSizesOfTheValue) {
  EXPECT_EQ(Backprop("[4];[3,3,4,6];[2,7,7,6]", {2, 9, 9, 8}), "[d2_0,9,9,8]");
  EXPECT_EQ(Backprop("[4];[3,3,4,6];[2,6,7,7]", {-1, 4, 9, 9}, "NCHW"), "[d2_0,4,9,9]");
  EXPECT_EQ(Backprop("[2];[3,3,4,6];[2,7,7,6]", {9, 9}), "[d2_0,9,9,d1_2]");
  EXPECT_EQ(Outputs("[4];[3,3,4,6];[2,7,7,6]", shape_inference::Conv2DBackpropInputShape), "[d2_0,?,?,?]");
  EXPECT_EQ(Backprop("[3];[3,3,4,6];[2,7,7,6]", {2, 9, 9}), "INVALID_ARGUMENT");
  EXPECT_EQ(Backprop("[4];[3,3,4,6];[2,7,7,5]", {2, 9, 9, 4}), "INVALID_ARGUMENT");
  EXPECT_EQ(Backprop("[4];[3,3,4,6];[2,7,7,6]", {3, 9, 9, 4}), "INVALID_ARGUMENT");
}

TEST(Conv2DBackpropFilterWithBiasShape, HasAFilterAndABias) {
  FakeHost host;
  FakeShapeCall call(host, "[2,9,9,4];[4];?", 2);
  call.Value<int32_t>(1, {4}, {3, 3, 4, 6});
  EXPECT_EQ(Outputs(call, shape_inference::Conv2DBackpropFilterWithBiasShape), "[3,3,4,6];[d0_3]");
  EXPECT_EQ(Outputs("[2,9,9,4];[3];?", shape_inference::Conv2DBackpropFilterWithBiasShape, 2), "INVALID_ARGUMENT");
}

using opsrun_test::FakeHost;
using opsrun_test::FakeShapeCall;
using opsrun_test::Outputs;
using shape_inference::InferenceContext;

struct Pool {
  std::string format = "NHWC", padding = "SAME";
  std::vector<int64_t> ksize = {1, 3, 3, 1}, strides = {1, 2, 2, 1}, zeros = {};
};

template <typename Fn>
std::string Pooled(const std::string& inputs, Fn fn, const Pool& pool = {}, uint32_t n_out = 1) {
  FakeHost host;
  FakeShapeCall call(host, inputs, n_out);
  call.attrs.String("data_format", pool.format).String("padding", pool.padding);
  call.attrs.Ints("ksize", pool.ksize).Ints("strides", pool.strides).Ints("explicit_paddings", pool.zeros);
  return Outputs(call, fn);
}

TEST(AvgPoolShape, HasAWindowForEachStride) {
  const auto pool = shape_inference::AvgPoolShape;
  EXPECT_EQ(Pooled("[2,7,?,3]", pool), "[d0_0,4,?,d0_3]");
  EXPECT_EQ(Pooled("[2,7,8,3]", pool, {"NHWC", "VALID"}), "[d0_0,3,3,d0_3]");
  EXPECT_EQ(Pooled("[2,3,7,8]", pool, {"NCHW", "VALID", {1, 1, 2, 3}, {1, 1, 1, 2}}), "[d0_0,d0_1,6,3]");
  EXPECT_EQ(Pooled("[2,3,7,8,4]", pool, {"NCHW_VECT_C", "VALID", {1, 1, 2, 3}, {1, 1, 1, 2}}), "[d0_0,3,6,3,4]");
  EXPECT_EQ(Pooled("?", pool), "[?,?,?,?]");
}

TEST(AvgPoolShape, RefusesWhatDoesNotFit) {
  const auto pool = shape_inference::AvgPoolShape;
  EXPECT_EQ(Pooled("[2,7,8]", pool), "INVALID_ARGUMENT");
  EXPECT_EQ(Pooled("[2,2,8,3]", pool, {"NHWC", "VALID"}), "INVALID_ARGUMENT");
  EXPECT_EQ(Pooled("[2,7,8,3]", pool, {"NHWC", "EXPLICIT"}), "INVALID_ARGUMENT");
  EXPECT_EQ(Pooled("[2,7,8,3]", pool, {"NHWC", "SAME", {1, 3, 3}}), "INVALID_ARGUMENT");
  EXPECT_EQ(Pooled("[2,7,8,3]", pool, {"NHWC", "SAME", {1, 3, 3, 1}, {1, 0, 1, 1}}), "INVALID_ARGUMENT");
  EXPECT_EQ(Pooled("[2,7,8,3]", pool, {"CHWN"}), "INVALID_ARGUMENT");
}

TEST(QuantizedAvgPoolShape, HasScalarsThatBoundTheElements) {
  EXPECT_EQ(Pooled("[2,7,8,3];[];?", shape_inference::QuantizedAvgPoolShape, {}, 3), "[d0_0,4,4,d0_3];[];[]");
  EXPECT_EQ(Pooled("[2,7,8,3];[];[1]", shape_inference::QuantizedAvgPoolShape, {}, 3), "INVALID_ARGUMENT");
}

TEST(MaxPoolShape, HasWindowsAlongTheChannels) {
  const auto pool = shape_inference::MaxPoolShape;
  EXPECT_EQ(Pooled("[2,7,8,3]", pool), "[d0_0,4,4,d0_3]");
  EXPECT_EQ(Pooled("[2,7,8,6]", pool, {"NHWC", "VALID", {1, 1, 1, 2}, {1, 1, 1, 2}}), "[d0_0,7,8,3]");
  EXPECT_EQ(Pooled("[2,7,8,?]", pool, {"NHWC", "VALID"}), "[d0_0,3,3,d0_3]");
  EXPECT_EQ(Pooled("[2,7,8,3]", shape_inference::MaxPoolShapeWithExplicitPadding,
                   {"NHWC", "EXPLICIT", {1, 3, 3, 1}, {1, 1, 1, 1}, {0, 0, 1, 2, 0, 1, 0, 0}}),
            "[d0_0,8,7,3]");
}

std::string MaxPoolV2(FakeShapeCall& call) {
  call.attrs.String("padding", "VALID");
  return Outputs(call, [](InferenceContext* c) -> Status { return shape_inference::MaxPoolV2Shape(c, 3); });
}

TEST(MaxPoolV2Shape, TakesWindowsFromInputs) {
  FakeHost host;
  FakeShapeCall known(host, "[2,7,8,3];[4];[4]"), unknown(host, "[2,7,8,3];[4];[4]"), wrong(host, "[2,7,8,3];[4];[3]");
  known.Value<int32_t>(1, {4}, {1, 2, 3, 1}).Value<int32_t>(2, {4}, {1, 1, 2, 1});
  EXPECT_EQ(MaxPoolV2(known), "[d0_0,6,3,3]");
  EXPECT_EQ(MaxPoolV2(unknown), "?");
  EXPECT_EQ(MaxPoolV2(wrong), "INVALID_ARGUMENT");
}

TEST(MaxPoolV2Shape, TakesWindowsFromAttrs) {
  FakeHost host;
  FakeShapeCall call(host, "[2,7,8,3]");
  call.attrs.Ints("ksize", {1, 2, 3, 1}).Ints("strides", {1, 1, 2, 1});
  EXPECT_EQ(MaxPoolV2(call), "[d0_0,6,3,3]");
}

TEST(Pool3DShape, HasThreeDimensionsOfSpace) {
  const auto pool = shape_inference::Pool3DShape;
  EXPECT_EQ(Pooled("[2,7,8,9,3]", pool, {"NDHWC", "VALID", {1, 1, 2, 3, 1}, {1, 1, 1, 2, 1}}), "[d0_0,7,7,4,d0_4]");
  EXPECT_EQ(Pooled("[2,3,7,8,9]", pool, {"NCDHW", "VALID", {1, 1, 1, 2, 3}, {1, 1, 1, 1, 2}}), "[d0_0,d0_1,7,7,4]");
}

TEST(PoolGradShape, IsThatOfTheInput) {
  FakeHost host;
  FakeShapeCall sizes(host, "[4];?");
  sizes.Value<int32_t>(0, {4}, {2, 7, -1, 3});
  EXPECT_EQ(Outputs(sizes, shape_inference::AvgPoolGradShape), "[2,7,?,3]");
  EXPECT_EQ(Outputs("[5];?", shape_inference::AvgPoolGradShape), "INVALID_ARGUMENT");
  EXPECT_EQ(Outputs("[5];?", shape_inference::AvgPool3DGradShape), "[?,?,?,?,?]");
  EXPECT_EQ(Outputs("[2,7,8,3];?;?", shape_inference::MaxPoolGradShape), "in0");
  EXPECT_EQ(Outputs("[2,7,8,3];?;?", shape_inference::MaxPool3DGradShape), "INVALID_ARGUMENT");
}

template <typename Fn>
std::string Normalized(const std::string& inputs, Fn fn, bool is_training, uint32_t n_out = 5,
                       const std::string& format = "NHWC") {
  FakeHost host;
  FakeShapeCall call(host, inputs, n_out);
  call.attrs.String("data_format", format).Bool("is_training", is_training);
  return Outputs(call, fn);
}

TEST(FusedBatchNormShape, HasANumberForEachChannel) {
  const auto norm = shape_inference::FusedBatchNormShape;
  EXPECT_EQ(Normalized("[2,7,8,?];[3];?;[0];[0]", norm, true), "[d0_0,d0_1,d0_2,d1_0];[d1_0];[d1_0];[d1_0];[d1_0]");
  EXPECT_EQ(Normalized("[2,7,8,?];[3];?;[0];[0]", norm, false), "INVALID_ARGUMENT");
  EXPECT_EQ(Normalized("[2,3,7,8];[3];?;[0];[0]", norm, true, 5, "NCHW"),
            "[d0_0,d0_1,d0_2,d0_3];[d0_1];[d0_1];[d0_1];[d0_1]");
  EXPECT_EQ(Normalized("[2,7,8,3];[3];?;[0];[0]", norm, true, 5, "NDHWC"), "INVALID_ARGUMENT");
  EXPECT_EQ(Normalized("[2,7,8,3];[3];?;[0];[0]", norm, true, 5, "CHWN"), "INVALID_ARGUMENT");
  EXPECT_EQ(Normalized("[2,7,8,?];[?];?;[3];[3]", shape_inference::FusedBatchNormV3Shape, false, 6),
            "[d0_0,d0_1,d0_2,d3_0];[d3_0];[d3_0];[d3_0];[d3_0];?");
}

TEST(FusedBatchNormGradShape, HasTwoEmptyOutputs) {
  const auto gradient = shape_inference::FusedBatchNormGradShape;
  EXPECT_EQ(Normalized("[2,7,8,?];[2,7,8,3];?;?;?", gradient, true), "[d0_0,d0_1,d0_2,d1_3];[d1_3];[d1_3];[0];[0]");
  EXPECT_EQ(Normalized("[2,7,8,2];[2,7,8,3];?;?;?", gradient, true), "INVALID_ARGUMENT");
}

}  // namespace

}  // namespace tensorflow
