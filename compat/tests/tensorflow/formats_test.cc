// compat/tests/tensorflow/formats_test.cc: shapes of images and filters in TensorFlow's formats.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/util/tensor_format.h"

namespace tensorflow {
namespace {

TEST(TensorFormat, IsNamed) {
  TensorFormat format = FORMAT_HWNC;
  EXPECT_TRUE(FormatFromString("NDHWC", &format));
  EXPECT_EQ(format, FORMAT_NHWC);
  EXPECT_TRUE(FormatFromString("NHWC_VECT_W", &format));
  EXPECT_EQ(format, FORMAT_NHWC_VECT_W);
  EXPECT_FALSE(FormatFromString("CHWN", &format));
  EXPECT_EQ(format, FORMAT_NHWC_VECT_W);
}

TEST(TensorFormat, HasStringsForAttrs) {
  EXPECT_EQ(GetConvnet3dDataFormatAttrString(), "data_format: { 'NDHWC', 'NCDHW' } = 'NDHWC' ");
  EXPECT_EQ(GetConvnetDataFormat2D3DAttrString(), "data_format: { 'NHWC', 'NCHW', 'NDHWC', 'NCDHW' } = 'NHWC' ");
  EXPECT_EQ(GetConvnetFilterFormatAttrString(), "filter_format: { 'HWIO', 'OIHW' } = 'HWIO' ");
  EXPECT_EQ(GetConvnet3dFilterFormatAttrString(), "filter_format: { 'DHWIO', 'OIDHW' } = 'DHWIO' ");
}

TEST(TensorFormat, TakesAnUnknownRankForTwoDimensionsOfSpace) {
  EXPECT_EQ(GetTensorDimIndex(FORMAT_NCHW_VECT_C, 'W', 4), 3);
  EXPECT_EQ(GetTensorDimIndex<2>(FORMAT_NHWC_VECT_W, 'C'), 3);
  EXPECT_EQ(GetTensorInnerFeatureDimIndex(5, FORMAT_NCHW_VECT_C), 4);
  EXPECT_EQ(GetTensorInnerWidthDimIndex(5, FORMAT_NHWC_VECT_W), 4);
  EXPECT_THROW(GetTensorDimIndex(FORMAT_NHWC, 'X'), internal::Failure);
  EXPECT_THROW(GetTensorDim(std::vector<int32>{1, 2}, FORMAT_NHWC, 'C'), internal::Failure);
}

TEST(TensorFormat, FindsZerosOfADimension) {
  const std::vector<int64_t> zeros = {0, 0, 1, 2, 3, 4, 0, 0};
  int64_t before = 0, after = 0;
  GetExplicitPaddingForDim(zeros, FORMAT_NHWC, 'W', &before, &after);
  EXPECT_EQ(10 * before + after, 34);
  GetExplicitPaddingForDim(zeros, FORMAT_NCHW, 'C', &before, &after);
  EXPECT_EQ(10 * before + after, 12);
}

TEST(ShapeFromFormat, PutsThePartsInOrder) {
  EXPECT_EQ(ShapeFromFormat(FORMAT_NCHW, 2, 5, 6, 3), TensorShape({2, 3, 5, 6}));
  EXPECT_EQ(ShapeFromFormat(FORMAT_NHWC, 2, {4, 5, 6}, 3), TensorShape({2, 4, 5, 6, 3}));
  EXPECT_EQ(ShapeFromFormat(FORMAT_NCHW_VECT_C, 2, 5, 6, 8), TensorShape({2, 2, 5, 6, 4}));
  EXPECT_EQ(ShapeFromFormat(FORMAT_NHWC_VECT_W, 2, 5, 8, 3), TensorShape({2, 5, 2, 3, 4}));
  EXPECT_THROW(ShapeFromFormat(FORMAT_NCHW_VECT_C, 2, 5, 6, 3), internal::Failure);
}

TEST(ShapeFromFormat, ChangesTheFormat) {
  const TensorShape image({2, 5, 8, 12}), packed = ShapeFromFormat(FORMAT_NCHW_VECT_C, image, FORMAT_NHWC);
  EXPECT_EQ(packed, TensorShape({2, 3, 5, 8, 4}));
  EXPECT_EQ(ShapeFromFormat(FORMAT_NHWC_VECT_W, packed, FORMAT_NCHW_VECT_C), TensorShape({2, 5, 2, 12, 4}));
  TensorShape shape;
  TF_CHECK_OK(ShapeFromFormatWithStatus(FORMAT_HWCN, image, FORMAT_NHWC, &shape));
  EXPECT_EQ(shape, TensorShape({5, 8, 12, 2}));
  EXPECT_EQ(ShapeFromFormatWithStatus(FORMAT_NHWC, 2, 5, -1, 3, &shape).code(), error::INVALID_ARGUMENT);
}

TEST(FilterTensorFormat, IsNamed) {
  FilterTensorFormat format = FORMAT_OHWI;
  EXPECT_FALSE(FilterFormatFromString("OHWI", &format));
  EXPECT_TRUE(FilterFormatFromString("OIDHW", &format));
  EXPECT_EQ(format, FORMAT_OIHW);
  EXPECT_TRUE(FilterFormatFromString("DHWIO", &format));
  EXPECT_EQ(ToString(format), "HWIO");
  EXPECT_EQ(ToString(FORMAT_OIHW_VECT_I), "OIHW_VECT_I");
}

TEST(FilterTensorFormat, PutsDimensionsWhereTheNameSays) {
  for (const FilterTensorFormat format : {FORMAT_HWIO, FORMAT_OIHW, FORMAT_OHWI}) {
    const std::string name = ToString(format);
    for (const char dimension : name) {
      EXPECT_EQ(GetFilterDimIndex<2>(format, dimension), static_cast<int>(name.find(dimension))) << name << dimension;
    }
    EXPECT_EQ(GetFilterTensorSpatialDims(5, format), 3);
    EXPECT_EQ(GetFilterTensorDimsFromSpatialDims(3, format), 5);
  }
  EXPECT_EQ(GetFilterTensorDimsFromSpatialDims(2, FORMAT_OIHW_VECT_I), 5);
  EXPECT_EQ(GetFilterTensorInnerInputChannelsDimIndex(5, FORMAT_OIHW_VECT_I), 4);
  EXPECT_EQ(GetFilterTensorInputChannelsDimIndex(5, FORMAT_HWIO), 3);
  EXPECT_EQ(GetFilterTensorOutputChannelsDimIndex(5, FORMAT_HWIO), 4);
  EXPECT_EQ(GetFilterTensorSpatialDimIndex(4, FORMAT_OIHW, 1), 3);
  EXPECT_THROW(GetFilterDimIndex<2>(FORMAT_HWIO, 'N'), internal::Failure);
}

TEST(FilterTensorFormat, FindsSizes) {
  const TensorShape shape({3, 5, 8, 7});
  EXPECT_EQ(GetFilterDim(shape, FORMAT_HWIO, 'O'), 7);
  EXPECT_EQ(GetFilterDim(Tensor(DT_FLOAT, shape), FORMAT_OIHW, 'H'), 8);
  EXPECT_EQ(GetFilterDim(gtl::ArraySlice<int32>({1, 2, 3, 4, 5}), FORMAT_HWIO, '2'), 3);
}

TEST(ShapeFromFilterFormat, ChangesTheFormat) {
  EXPECT_EQ(ShapeFromFilterTensorFormat(FORMAT_OIHW, 3, 5, 8, 7), TensorShape({7, 8, 3, 5}));
  EXPECT_EQ(ShapeFromFilterTensorFormat(FORMAT_HWIO, {2, 3, 5}, 8, 7), TensorShape({2, 3, 5, 8, 7}));
  const TensorShape packed = ShapeFromFilterFormat(FORMAT_OIHW_VECT_I, TensorShape({3, 5, 8, 7}), FORMAT_HWIO);
  EXPECT_EQ(packed, TensorShape({7, 2, 3, 5, 4}));
  EXPECT_EQ(ShapeFromFilterFormat(FORMAT_HWIO, packed, FORMAT_OIHW_VECT_I), TensorShape({3, 5, 8, 7}));
  EXPECT_THROW(ShapeFromFilterTensorFormat(FORMAT_OIHW_VECT_I, 3, 5, 7, 8), internal::Failure);
}

}  // namespace
}  // namespace tensorflow
