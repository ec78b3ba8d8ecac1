// compat/tests/tensorflow/formats_test.cc: shapes of images and filters in TensorFlow's formats.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "every_header.h"
#include "tests/sdk/test_attrs.h"

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
  EXPECT_EQ(GetPaddingAttrString(), "padding: {'SAME', 'VALID'}");
  EXPECT_EQ(GetPaddingAttrStringWithExplicit(), "padding: {'SAME', 'VALID', 'EXPLICIT'}");
  EXPECT_EQ(GetConvnetDataFormatAttrString(), "data_format: { 'NHWC', 'NCHW' } = 'NHWC' ");
}

TEST(TensorFormat, HasPartsByRank) {
  EXPECT_EQ(GetTensorDimIndex(FORMAT_NCHW_VECT_C, 'W', 4), 3);
  EXPECT_EQ(GetTensorDimIndex<2>(FORMAT_NHWC_VECT_W, 'C'), 3);
  EXPECT_EQ(GetTensorInnerFeatureDimIndex(5, FORMAT_NCHW_VECT_C), 4);
  EXPECT_EQ(GetTensorInnerWidthDimIndex(5, FORMAT_NHWC_VECT_W), 4);
  EXPECT_THROW(GetTensorDimIndex(FORMAT_NHWC, 'X'), internal::Failure);
  EXPECT_THROW(GetTensorDim(std::vector<int32>{1, 2}, FORMAT_NHWC, 'C'), internal::Failure);
  EXPECT_EQ(GetTensorSpatialDims(5, FORMAT_NCHW), 3);
  EXPECT_EQ(GetTensorDimsFromSpatialDims(3, FORMAT_NHWC), 5);
  EXPECT_EQ(GetTensorBatchDimIndex(4, FORMAT_HWNC), 2);
  EXPECT_EQ(GetTensorFeatureDimIndex(5, FORMAT_NHWC), 4);
  EXPECT_EQ(GetTensorSpatialDimIndex(5, FORMAT_NCHW, 2), 4);
  EXPECT_EQ(GetTensorDimIndex<3>(FORMAT_NHWC, 'C'), 4);
  EXPECT_EQ(GetTensorDimIndex(FORMAT_NCHW, '1', 5), 3);
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
  TF_CHECK_OK(ShapeFromFormatWithStatus(FORMAT_NHWC, TensorShape({2, 3, 4}), FORMAT_NCHW_VECT_C, &shape));
  EXPECT_EQ(shape, TensorShape({2, 12}));
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

TEST(Formats, FindSizes) {
  const TensorShape shape({3, 5, 8, 7});
  EXPECT_EQ(GetFilterDim(shape, FORMAT_HWIO, 'O'), 7);
  EXPECT_EQ(GetFilterDim(Tensor(DT_FLOAT, shape), FORMAT_OIHW, 'H'), 8);
  EXPECT_EQ(GetFilterDim(gtl::ArraySlice<int32>({1, 2, 3, 4, 5}), FORMAT_HWIO, '2'), 3);
  const TensorShape image({2, 3, 4, 5});
  EXPECT_EQ(GetTensorDim(image, FORMAT_NHWC, 'C'), 5);
  EXPECT_EQ(GetTensorDim(Tensor(DT_FLOAT, image), FORMAT_NCHW, 'W'), 5);
  EXPECT_EQ(GetTensorDim(std::vector<int32>{1, 2, 3, 1}, FORMAT_NHWC, 'H'), 2);
}

TEST(ShapeFromFilterFormat, ChangesTheFormat) {
  EXPECT_EQ(ShapeFromFilterTensorFormat(FORMAT_OIHW, 3, 5, 8, 7), TensorShape({7, 8, 3, 5}));
  EXPECT_EQ(ShapeFromFilterTensorFormat(FORMAT_HWIO, {2, 3, 5}, 8, 7), TensorShape({2, 3, 5, 8, 7}));
  const TensorShape packed = ShapeFromFilterFormat(FORMAT_OIHW_VECT_I, TensorShape({3, 5, 8, 7}), FORMAT_HWIO);
  EXPECT_EQ(packed, TensorShape({7, 2, 3, 5, 4}));
  EXPECT_EQ(ShapeFromFilterFormat(FORMAT_HWIO, packed, FORMAT_OIHW_VECT_I), TensorShape({3, 5, 8, 7}));
  EXPECT_THROW(ShapeFromFilterTensorFormat(FORMAT_OIHW_VECT_I, 3, 5, 7, 8), internal::Failure);
}

TEST(CompatFormat, PutsDimensionsWhereTheNameSays) {
  for (const TensorFormat format : {FORMAT_NHWC, FORMAT_NCHW, FORMAT_HWNC, FORMAT_HWCN}) {
    const std::string name = ToString(format);
    TensorFormat read = FORMAT_NHWC_VECT_W;
    EXPECT_TRUE(FormatFromString(name, &read) && read == format) << name;
    for (const char dimension : std::string("NHWC")) {
      EXPECT_EQ(GetTensorDimIndex(format, dimension), static_cast<int>(name.find(dimension))) << name << dimension;
    }
  }
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

TEST(Padding, IsNamed) {
  Padding padding = EXPLICIT;
  TF_CHECK_OK(GetPaddingFromString("SAME", &padding));
  EXPECT_EQ(padding, SAME);
  TF_CHECK_OK(GetPaddingFromString("EXPLICIT", &padding));
  EXPECT_EQ(padding, EXPLICIT);
  EXPECT_EQ(GetPaddingFromString("Same", &padding).code(), error::NOT_FOUND);
  EXPECT_EQ(GetExplicitPaddingsAttrString(), "explicit_paddings: list(int) = []");
}

// Reads the attr of the node.
template <typename T>
std::string ReadFrom(const NodeDef& node, T* value) {
  const Status status = GetNodeAttr(node, "mode", value);
  return internal::CodeName(status.code());
}

TEST(Padding, IsChecked) {
  const std::vector<int64_t> none, zeros = {0, 0, 1, 2, 3, 4, 0, 0};
  TF_CHECK_OK(CheckValidPadding(SAME, none, 4, FORMAT_NHWC));
  TF_CHECK_OK(CheckValidPadding(EXPLICIT, zeros, 4, FORMAT_NHWC));
  EXPECT_EQ(CheckValidPadding(SAME, zeros, 4, FORMAT_NHWC).code(), error::INVALID_ARGUMENT);
  EXPECT_EQ(CheckValidPadding(EXPLICIT, none, 4, FORMAT_NHWC).code(), error::INVALID_ARGUMENT);
  EXPECT_EQ(CheckValidPadding(EXPLICIT, zeros, 4, FORMAT_NCHW).code(), error::INVALID_ARGUMENT);
  EXPECT_EQ(CheckValidPadding(EXPLICIT, zeros, 5, FORMAT_NHWC).code(), error::INVALID_ARGUMENT);
  EXPECT_EQ(CheckValidPadding<int64_t>(EXPLICIT, {0, 0, -1, 0, 0, 0, 0, 0}, 4, FORMAT_NHWC).code(),
            error::INVALID_ARGUMENT);
}

TEST(Windows, AreCounted) {
  int64_t size = 0, before = 0, after = 0;
  TF_CHECK_OK(GetWindowedOutputSize(8, 3, 2, SAME, &size, &before));
  EXPECT_EQ(std::vector<int64_t>({size, before}), std::vector<int64_t>({4, 0}));
  TF_CHECK_OK(GetWindowedOutputSizeV2(8, 3, 2, 1, VALID, &size, &before));
  EXPECT_EQ(std::vector<int64_t>({size, before}), std::vector<int64_t>({4, 0}));
  TF_CHECK_OK(GetWindowedOutputSizeVerbose(8, 4, 1, SAME, &size, &before, &after));
  EXPECT_EQ(std::vector<int64_t>({size, before, after}), std::vector<int64_t>({8, 1, 2}));
  TF_CHECK_OK(GetWindowedOutputSizeVerboseV2(8, 4, 2, 1, SAME, &size, &before, &after));
  EXPECT_EQ(std::vector<int64_t>({size, before, after}), std::vector<int64_t>({8, 3, 3}));
  before = 2, after = 1;
  TF_CHECK_OK(GetWindowedOutputSizeVerbose(5, 3, 1, 2, EXPLICIT, &size, &before, &after));
  EXPECT_EQ(size, 3);
}

TEST(Windows, MustFit) {
  int64_t size = 0, before = 0;
  EXPECT_EQ(GetWindowedOutputSize(2, 5, 1, VALID, &size, &before).code(), error::INVALID_ARGUMENT);
  EXPECT_EQ(GetWindowedOutputSize(2, 1, 0, VALID, &size, &before).code(), error::INVALID_ARGUMENT);
  EXPECT_EQ(GetWindowedOutputSize(2, 1, 0, 1, VALID, &size, &before).code(), error::INVALID_ARGUMENT);
  EXPECT_EQ(GetWindowedOutputSize(2, 1, 1, EXPLICIT, &size, &before).code(), error::INTERNAL);
}

TEST(Windows, AreCountedAlongThreeDimensions) {
  typedef std::array<int64_t, 3> Sizes;
  Sizes sizes = {}, zeros = {};
  TF_CHECK_OK(Get3dOutputSize(Sizes{7, 8, 9}, Sizes{3, 3, 3}, Sizes{1, 2, 2}, SAME, &sizes, &zeros));
  EXPECT_EQ(sizes, (Sizes{7, 4, 5}));
  EXPECT_EQ(zeros, (Sizes{1, 0, 1}));
  TF_CHECK_OK(Get3dOutputSizeV2(Sizes{7, 8, 9}, Sizes{3, 3, 3}, Sizes{1, 2, 3}, Sizes{1, 2, 2}, VALID, &sizes, &zeros));
  EXPECT_EQ(sizes, (Sizes{5, 2, 2}));
}

TEST(Windows, CoverSomeOfTheInputs) {
  int begin = 0, size = 0;
  TF_CHECK_OK(GetBroadcastSize(0, 10, 3, 2, 1, &begin, &size));
  EXPECT_EQ(begin + 100 * size, 200);
  TF_CHECK_OK(GetBroadcastSize(2, 10, 3, 2, 1, &begin, &size));
  EXPECT_EQ(begin + 100 * size, 303);
  TF_CHECK_OK(GetBroadcastSize(5, 10, 3, 2, 1, &begin, &size));
  EXPECT_EQ(begin + 100 * size, 109);
  EXPECT_EQ(GetBroadcastSize(6, 10, 3, 2, 1, &begin, &size).code(), error::INVALID_ARGUMENT);
}

TEST(Padding, IsEigens) {
  EXPECT_EQ(BrainPadding2EigenPadding(VALID), Eigen::PADDING_VALID);
  EXPECT_EQ(BrainPadding2EigenPadding(SAME), Eigen::PADDING_SAME);
  EXPECT_THROW(BrainPadding2EigenPadding(EXPLICIT), internal::Failure);
}

TEST(Strides, AreTheDistancesOfNeighbours) {
  EXPECT_EQ(ComputeStride<int64_t>(TensorShape({2, 3, 4})), (gtl::InlinedVector<int64_t, 8>{12, 4, 1}));
  EXPECT_TRUE(ComputeStride<int>(TensorShape({})).empty());
  const Eigen::DSizes<Eigen::DenseIndex, 3> sizes(2, 3, 4);
  EXPECT_EQ(ComputeEigenStrides<int>(sizes), (gtl::InlinedVector<int, 8>{12, 4, 1}));
}

TEST(ActivationMode, IsNamedAsInAttrs) {
  ActivationMode mode = NONE;
  TF_CHECK_OK(GetActivationModeFromString("Relu6", &mode));
  EXPECT_EQ(mode, RELU6);
  EXPECT_EQ(ToString(mode), "RELU6");
  EXPECT_EQ(GetActivationModeFromString("RELU6", &mode).code(), error::NOT_FOUND);
  EXPECT_EQ(SIGMOID + RELU + RELUX + TANH + BANDPASS, 1 + 2 + 4 + 5 + 6);
}

TEST(EnumAttrs, AreReadFromANodeAndFromAttrs) {
  NodeDef node;
  Padding padding = EXPLICIT;
  MirrorPadMode mode = MirrorPadMode::REFLECT;
  EXPECT_EQ(ReadFrom(node, &padding), "NOT_FOUND");
  EXPECT_EQ(ReadFrom(node, &mode), "NOT_FOUND");
  SetAttrValue("SYMMETRIC", &(*node.mutable_attr())["mode"]);
  EXPECT_EQ(ReadFrom(node, &mode), "OK");
  EXPECT_EQ(mode, MirrorPadMode::SYMMETRIC);
  SetAttrValue("symmetric", &(*node.mutable_attr())["mode"]);
  EXPECT_EQ(ReadFrom(node, &mode), "NOT_FOUND");

  SetAttrValue("VALID", &(*node.mutable_attr())["mode"]);
  EXPECT_EQ(ReadFrom(node, &padding), "OK");
  EXPECT_EQ(padding, VALID);

  opsrun_test::TestAttrs attrs;
  attrs.String("mode", "REFLECT");
  TF_CHECK_OK(internal::ReadAttr({attrs.data(), attrs.size()}, "mode", &mode));
  EXPECT_EQ(mode, MirrorPadMode::REFLECT);
  EXPECT_EQ(GetMirrorPadModeAttrString(), "mode: {'REFLECT', 'SYMMETRIC'}");
}

}  // namespace

}  // namespace tensorflow
