// compat/tests/tensorflow/tensor_test.cc: tensors, shapes and windows, by TensorFlow's names.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sstream>

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/numeric_op.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor_util.h"
#include "tensorflow/core/util/batch_util.h"
#include "tensorflow/core/util/tensor_format.h"

namespace tensorflow {

REGISTER_OP("CompatNoop").Input("x: float").SetDoNotOptimize();

namespace {

Tensor Row(std::initializer_list<int32> values) {
  Tensor tensor(DT_INT32, {static_cast<int64>(values.size())});
  std::copy(values.begin(), values.end(), tensor.flat<int32>().data());
  return tensor;
}

TEST(CompatTensor, JoinsAndParts) {
  Tensor joined;
  TF_CHECK_OK(tensor::Concat({Row({1, 2}), Row({3})}, &joined));
  EXPECT_EQ(joined.SummarizeValue(9), "1 2 3");
  std::vector<Tensor> parts;
  TF_CHECK_OK(tensor::Split(joined, {1, 2}, &parts));
  EXPECT_EQ(parts[1].SummarizeValue(9), "2 3");
  TF_CHECK_OK(tensor::Split(joined, std::vector<int64_t>{2, 1}, &parts));
  EXPECT_EQ(parts[3].SummarizeValue(9), "3");
  EXPECT_FALSE(tensor::Split(joined, {1}, &parts).ok());
  EXPECT_FALSE(tensor::DeepCopy(joined).SharesBufferWith(joined));
  Tensor copy(DT_INT32, {3, 1});
  tensor::DeepCopy(joined, &copy);
  EXPECT_EQ(copy.SummarizeValue(9), "1 2 3");
}

TEST(CompatTensor, PrintsShapes) {
  std::ostringstream text;
  text << TensorShape({2, 3}) << " " << PartialTensorShape({2, -1});
  EXPECT_EQ(text.str(), "[2,3] [2,?]");
}

TEST(CompatTensor, FillsBatches) {
  Tensor batch(DT_INT32, {2, 2});
  TF_CHECK_OK(batch_util::CopyElementToSlice(Row({1, 2}), &batch, 0));
  TF_CHECK_OK(batch_util::CopyElementToSlice(Row({3, 4}), &batch, 1));
  EXPECT_EQ(batch.SummarizeValue(9), "1 2 3 4");
  Tensor element = Row({0, 0});
  TF_CHECK_OK(batch_util::CopySliceToElement(batch, &element, 1));
  EXPECT_EQ(element.SummarizeValue(9), "3 4");
  EXPECT_FALSE(batch_util::CopyElementToSlice(Row({1}), &batch, 0).ok());
}

TEST(CompatTensor, CopiesThroughMessages) {
  TensorProto proto;
  Row({4, 5}).AsProtoField(&proto);
  EXPECT_EQ(proto.dtype(), DT_INT32);
  Tensor back;
  EXPECT_TRUE(back.FromProto(proto));
  EXPECT_EQ(back.SummarizeValue(9), "4 5");
  EXPECT_EQ(proto.tensor_shape().dim(0).size(), 2);
  TensorShapeProto shape;
  shape.add_dim()->set_size(-1);
  EXPECT_EQ(PartialTensorShape(shape).DebugString(), "[?]");
}

TEST(CompatTensor, MapsAreEigens) {
  Tensor row = Row({1, 2, 3});
  const Eigen::Tensor<int32, 0, Eigen::RowMajor> sum = row.flat<int32>().sum();
  EXPECT_EQ(sum(), 6);
  Eigen::Matrix<float, 2, 1> vector(3.0F, 4.0F);
  EXPECT_EQ(vector.norm(), 5.0F);
}

TEST(CompatFormat, FindsDimensions) {
  TensorFormat format;
  EXPECT_TRUE(FormatFromString("NCHW", &format));
  EXPECT_EQ(GetTensorDimIndex(format, 'C'), 1);
  EXPECT_EQ(GetTensorDimIndex(format, 'W'), 3);
  EXPECT_EQ(GetTensorDimIndex(FORMAT_NHWC, 'H'), 1);
  EXPECT_EQ(GetTensorInnerFeatureDimIndex(5, FORMAT_NCHW_VECT_C), 4);
  EXPECT_EQ(GetTensorInnerWidthDimIndex(5, FORMAT_NHWC_VECT_W), 4);
  EXPECT_EQ(ShapeFromFormat(FORMAT_NCHW, 1, 2, 3, 4), TensorShape({1, 4, 2, 3}));
  EXPECT_FALSE(FormatFromString("CHWN", &format));
}

TEST(CompatFormat, CountsWindows) {
  int64 size = 0, before = 0, after = 0;
  TF_CHECK_OK(GetWindowedOutputSizeVerbose(5, 2, 2, SAME, &size, &before, &after));
  EXPECT_EQ(size, 3);
  EXPECT_EQ(before, 0);
  EXPECT_EQ(after, 1);
  TF_CHECK_OK(GetWindowedOutputSize(5, 2, 2, VALID, &size, &before));
  EXPECT_EQ(size, 2);
  EXPECT_FALSE(GetWindowedOutputSize(1, 5, 1, VALID, &size, &before).ok());
  EXPECT_FALSE(GetWindowedOutputSize(5, 2, 0, VALID, &size, &before).ok());
}

TEST(CompatRegistry, KnowsItsOps) {
  const OpRegistrationData* data = nullptr;
  TF_CHECK_OK(OpRegistry::Global()->LookUp("CompatNoop", &data));
  EXPECT_EQ(data->op_def.name(), "CompatNoop");
  EXPECT_EQ(OpRegistry::Global()->LookUp("None", &data).code(), error::NOT_FOUND);
}

TEST(CompatLogging, LogsSomeOfTheTimes) {
  testing::internal::CaptureStderr();
  for (int i = 0; i < 10; ++i) {
    LOG_EVERY_N(INFO, 5) << "every";
    LOG_FIRST_N(WARNING, 1) << "first" << std::endl;
  }
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(text.begin(), text.end(), ']'), 3);
  const auto fails = [] { QCHECK_EQ(1, 2) << "no"; };
  EXPECT_THROW(fails(), internal::Failure);
  CHECK_OK(Status());
  CHECK_STREQ("a", "a");
  CHECK_NEAR(1.0, 1.1, 0.2);
}

}  // namespace
}  // namespace tensorflow
