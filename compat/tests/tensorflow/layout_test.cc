// compat/tests/tensorflow/layout_test.cc: dimensions of images, padding, and the lists of operations of variants, by
// TensorFlow's names. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tensorflow/core/framework/kernel_shape_util.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/variant_op_registry.h"
#include "tensorflow/core/util/padding.h"
#include "tensorflow/core/util/tensor_format.h"

namespace tensorflow {
namespace {

TEST(CompatFormat, PutsDimensionsWhereTheNameSays) {
  for (const TensorFormat format : {FORMAT_NHWC, FORMAT_NCHW, FORMAT_HWNC, FORMAT_HWCN}) {
    const std::string name = ToString(format);
    for (const char dimension : std::string("NHWC")) {
      EXPECT_EQ(GetTensorDimIndex(format, dimension), static_cast<int>(name.find(dimension))) << name << dimension;
    }
  }
}

TEST(CompatFormat, HasPartsByRank) {
  EXPECT_EQ(GetTensorSpatialDims(5, FORMAT_NCHW), 3);
  EXPECT_EQ(GetTensorDimsFromSpatialDims(3, FORMAT_NHWC), 5);
  EXPECT_EQ(GetTensorBatchDimIndex(4, FORMAT_HWNC), 2);
  EXPECT_EQ(GetTensorFeatureDimIndex(5, FORMAT_NHWC), 4);
  EXPECT_EQ(GetTensorSpatialDimIndex(5, FORMAT_NCHW, 2), 4);
  EXPECT_EQ(GetTensorDimIndex<3>(FORMAT_NHWC, 'C'), 4);
  EXPECT_EQ(GetTensorDimIndex(FORMAT_NCHW, '1', 5), 3);
}

TEST(CompatFormat, FindsSizes) {
  const TensorShape shape({2, 3, 4, 5});
  EXPECT_EQ(GetTensorDim(shape, FORMAT_NHWC, 'C'), 5);
  EXPECT_EQ(GetTensorDim(Tensor(DT_FLOAT, shape), FORMAT_NCHW, 'W'), 5);
  EXPECT_EQ(GetTensorDim(std::vector<int32>{1, 2, 3, 1}, FORMAT_NHWC, 'H'), 2);
}

TEST(CompatPadding, HasStringsForAttrs) {
  EXPECT_EQ(GetPaddingAttrString(), "padding: {'SAME', 'VALID'}");
  EXPECT_EQ(GetPaddingAttrStringWithExplicit(), "padding: {'SAME', 'VALID', 'EXPLICIT'}");
  EXPECT_EQ(GetConvnetDataFormatAttrString(), "data_format: { 'NHWC', 'NCHW' } = 'NHWC' ");
}

TEST(CompatPadding, TakesZerosFromTheCaller) {
  const Padding padding = EXPLICIT;
  int64_t size = 0, before = 2, after = 1;
  TF_CHECK_OK(GetWindowedOutputSizeVerbose(5, 3, 1, 2, padding, &size, &before, &after));
  EXPECT_EQ(size, 3);
  EXPECT_EQ(before + after, 3);
}

#define COUNT_TYPE(T) +1

TEST(CompatVariants, AreInTheListOfAllTypes) {
  EXPECT_EQ(0 TF_CALL_variant(COUNT_TYPE), 1);
  EXPECT_EQ(0 TF_CALL_ALL_TYPES(COUNT_TYPE), 0 TF_CALL_POD_STRING_TYPES(COUNT_TYPE) + 2);
}

TEST(CompatVariants, HaveNumberedOperations) {
  const VariantUnaryOp unary[] = {INVALID_VARIANT_UNARY_OP, ZEROS_LIKE_VARIANT_UNARY_OP, CONJ_VARIANT_UNARY_OP};
  const VariantBinaryOp binary[] = {INVALID_VARIANT_BINARY_OP, ADD_VARIANT_BINARY_OP};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(unary[i], i);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(binary[i], i);
  EXPECT_EQ(INVALID_DEVICE_COPY_DIRECTION, 0);
  EXPECT_EQ(HOST_TO_DEVICE + DEVICE_TO_HOST, DEVICE_TO_DEVICE);
}

}  // namespace
}  // namespace tensorflow
