// compat/tests/tensorflow/shape_fns_pool_test.cc: the shapes of pooling and of batch normalization. What is expected is what
// TensorFlow 2.15 infers.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tests/sdk/outputs.h"

namespace tensorflow {
namespace {

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
