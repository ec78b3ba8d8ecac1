// compat/tests/tensorflow/shape_fns_test.cc: shape functions. The expected shapes are those of TensorFlow 2.15, except
// where it confuses an unknown size with a size of -1.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "every_header.h"
#include "tests/sdk/infer.h"

namespace tensorflow {
namespace {

using opsrun_test::ExpectShapes;
using opsrun_test::Infer;
using opsrun_test::ShapeOf;
using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// The number of windows of size d0_1 along d0_0.
auto Windows(int64_t dilation, int64_t stride, Padding padding) {
  return ShapeOf([=](InferenceContext* c, ShapeHandle* vector) -> Status {
    *vector = ShapeHandle();
    DimensionHandle out;
    TF_RETURN_IF_ERROR(shape_inference::GetWindowedOutputSizeFromDimsV2(
        c, c->Dim(c->input(0), 0), c->Dim(c->input(0), 1), dilation, stride, padding, 1, 2, &out));
    *vector = c->Vector(out);
    return Status();
  });
}

TEST(WindowsFromDims, AreCounted) {
  ExpectShapes(Windows(1, 2, VALID), "[7,3] -> [3] | [?,3] -> [?] | [2,3] -> INVALID_ARGUMENT");
  ExpectShapes(Windows(2, 2, VALID), "[7,3] -> [2]");
  ExpectShapes(Windows(1, 2, SAME), "[7,3] -> [4]");
  ExpectShapes(Windows(1, 2, EXPLICIT), "[7,3] -> [4]");
  ExpectShapes(Windows(1, 0, VALID), "[7,3] -> INVALID_ARGUMENT");
  ExpectShapes(Windows(0, 1, SAME), "[7,3] -> INVALID_ARGUMENT");
}

TEST(WindowsFromDims, HaveAnOlderNameWithoutDilationAndZeros) {
  const auto windows = [](Padding padding) {
    return [padding](InferenceContext* c) -> Status {
      DimensionHandle out;
      TF_RETURN_IF_ERROR(
          shape_inference::GetWindowedOutputSizeFromDims(c, c->Dim(c->input(0), 0), 3, 2, padding, &out));
      c->set_output(0, c->Vector(out));
      return Status();
    };
  };
  ExpectShapes(windows(VALID), "[7] -> [3]");
  ExpectShapes(windows(EXPLICIT), "[7] -> INTERNAL");
}

TEST(MakeShapeFromFormat, PutsThePartsInOrder) {
  const auto shape_in = [](TensorFormat format) {
    return Infer("[]", ShapeOf([format](InferenceContext* c, ShapeHandle* out) -> Status {
                   return shape_inference::MakeShapeFromFormat(format, 2, {5, -1}, 3, out, c);
                 }));
  };
  EXPECT_EQ(shape_in(FORMAT_NHWC), "[2,5,?,3]");
  EXPECT_EQ(shape_in(FORMAT_NCHW), "[2,3,5,?]");
  EXPECT_EQ(shape_in(FORMAT_HWCN), "[5,?,3,2]");
  EXPECT_EQ(shape_in(FORMAT_NCHW_VECT_C), "[2,3,5,?,4]");
}

constexpr char kConv[] =
    "data_format=NHWC padding=SAME filter_format=HWIO strides=[1,1,1,1] dilations=[1,1,1,1] explicit_paddings=[]";

TEST(ConvShape, HasAWindowForEachStride) {
  ExpectShapes(shape_inference::Conv2DShape, R"(
[2,7,?,3];[3,3,3,5] -> [d0_0,d0_1,d0_2,d1_3]
[2,7,9,3];[3,3,3,5] padding=VALID strides=[1,2,3,1] -> [d0_0,3,3,d1_3]
[2,3,7,9];[3,3,3,5] data_format=NCHW padding=VALID strides=[1,1,2,3] -> [d0_0,d1_3,3,3]
[2,7,9,3];[5,3,3,3] padding=VALID filter_format=OIHW -> [d0_0,5,7,d1_0]
[2,7,9,3];[3,3,3,5] padding=VALID dilations=[1,2,3,1] -> [d0_0,3,3,d1_3]
?;? -> [?,?,?,?] | [2,7,7,4];[3,3,2,6] -> [d0_0,d0_1,d0_2,d1_3]
[2,7,7,4];[3,3,2,5] -> INVALID_ARGUMENT | [2,7,7,4];[3,3,3,6] -> INVALID_ARGUMENT
[2,7,7,4];[3,3,0,6] -> INVALID_ARGUMENT | [2,7,7,0];[3,3,2,6] -> INVALID_ARGUMENT
[2,7,7,4];[3,3,4,6] data_format=CHWN -> INVALID_ARGUMENT
[2,7,7,4];[3,3,4,6] filter_format=IOHW -> INVALID_ARGUMENT
[2,7,7,4];[3,3,4,6] strides=[1,1] -> INVALID_ARGUMENT
[2,7,7,4];[3,3,4,6] padding=EXPLICIT -> INVALID_ARGUMENT | [2,7,7];[3,3,4,6] -> INVALID_ARGUMENT
[2,3,7,7,4];[8,3,3,3,4] data_format=NCHW_VECT_C padding=VALID filter_format=OIHW_VECT_I -> [d0_0,2,5,5,4]
[2,3,7,7,5];[8,3,3,3,4] data_format=NCHW_VECT_C padding=VALID filter_format=OIHW_VECT_I -> INVALID_ARGUMENT
)",
               kConv);
  ExpectShapes(shape_inference::Conv2DShapeWithExplicitPadding, R"(
[2,7,7,4];[3,3,4,6] padding=EXPLICIT explicit_paddings=[0,0,1,2,3,0,0,0] -> [d0_0,8,8,d1_3]
[2,4,7,7];[3,3,4,6] data_format=NCHW padding=EXPLICIT explicit_paddings=[0,0,0,0,1,2,3,0] -> [d0_0,d1_3,8,8]
[2,7,7,4];[3,3,4,6] padding=EXPLICIT explicit_paddings=[0,1,1,2,3,0,0,0] -> INVALID_ARGUMENT
[2,7,7,4];[3,3,4,6] explicit_paddings=[0,0] -> INVALID_ARGUMENT
)",
               kConv);
  ExpectShapes(shape_inference::Conv3DShape, R"(
[2,7,8,9,3];[2,2,2,3,5] strides=[1,1,2,3,1] -> [d0_0,6,4,3,d1_4]
[2,3,7,8,9];[2,2,2,3,5] data_format=NCDHW strides=[1,1,1,2,3] -> [d0_0,d1_4,6,4,3]
[2,7,8,9,3];[2,2,2,3,5] strides=[1,1,1,1] dilations=[1,1,1,1] -> INVALID_ARGUMENT
)",
               "data_format=NDHWC padding=VALID strides=[1,1,1,1,1] dilations=[1,1,1,1,1]");
  ExpectShapes(shape_inference::DepthwiseConv2DNativeShape, R"(
[2,7,7,3];[3,3,3,2] -> [d0_0,d0_1,d0_2,6]
[2,?,7,7];[3,3,3,2] data_format=NCHW padding=VALID -> [d0_0,6,5,5]
[2,7,7,3];[3,3,4,2] -> INVALID_ARGUMENT
)",
               kConv);
  ExpectShapes(shape_inference::DepthwiseConv2DNativeShapeWithExplicitPadding, R"(
[2,7,7,3];[3,3,3,2] padding=EXPLICIT explicit_paddings=[0,0,1,2,3,0,0,0] -> [d0_0,8,8,6]
)",
               kConv);
  ExpectShapes(shape_inference::QuantizedConv2DShape, R"(
[2,7,7,3];[3,3,3,2];[];[];[];? outputs=3 -> [d0_0,d0_1,d0_2,d1_3];[];[]
[2,7,7,3];[3,3,3,2];[];[];[];[1] outputs=3 -> INVALID_ARGUMENT
)",
               kConv);
}

TEST(ConvBackpropShape, HasTheSizesOfTheValue) {
  ExpectShapes(shape_inference::Conv2DBackpropInputShape, R"(
[4]=<2,9,9,8>;[3,3,4,6];[2,7,7,6] -> [d2_0,9,9,8]
[4]=<-1,4,9,9>;[3,3,4,6];[2,6,7,7] data_format=NCHW -> [d2_0,4,9,9]
[2]=<9,9>;[3,3,4,6];[2,7,7,6] -> [d2_0,9,9,d1_2] | [4];[3,3,4,6];[2,7,7,6] -> [d2_0,?,?,?]
[3]=<2,9,9>;[3,3,4,6];[2,7,7,6] -> INVALID_ARGUMENT
[4]=<2,9,9,4>;[3,3,4,6];[2,7,7,5] -> INVALID_ARGUMENT
[4]=<3,9,9,4>;[3,3,4,6];[2,7,7,6] -> INVALID_ARGUMENT
)",
               "data_format=NHWC");
  ExpectShapes(shape_inference::Conv2DBackpropFilterWithBiasShape, R"(
[2,9,9,4];[4]=<3,3,4,6>;? outputs=2 -> [3,3,4,6];[d0_3]
[2,9,9,4];[3];? outputs=2 -> INVALID_ARGUMENT
)");
}

constexpr char kPool[] = "data_format=NHWC padding=SAME ksize=[1,3,3,1] strides=[1,2,2,1] explicit_paddings=[]";

TEST(PoolShape, HasAWindowForEachStride) {
  ExpectShapes(shape_inference::AvgPoolShape, R"(
[2,7,?,3] -> [d0_0,4,?,d0_3] | [2,7,8,3] padding=VALID -> [d0_0,3,3,d0_3]
[2,3,7,8] data_format=NCHW padding=VALID ksize=[1,1,2,3] strides=[1,1,1,2] -> [d0_0,d0_1,6,3]
[2,3,7,8,4] data_format=NCHW_VECT_C padding=VALID ksize=[1,1,2,3] strides=[1,1,1,2] -> [d0_0,3,6,3,4]
? -> [?,?,?,?] | [2,7,8] -> INVALID_ARGUMENT | [2,2,8,3] padding=VALID -> INVALID_ARGUMENT
[2,7,8,3] padding=EXPLICIT -> INVALID_ARGUMENT | [2,7,8,3] ksize=[1,3,3] -> INVALID_ARGUMENT
[2,7,8,3] strides=[1,0,1,1] -> INVALID_ARGUMENT | [2,7,8,3] data_format=CHWN -> INVALID_ARGUMENT
)",
               kPool);
  ExpectShapes(shape_inference::QuantizedAvgPoolShape, R"(
[2,7,8,3];[];? outputs=3 -> [d0_0,4,4,d0_3];[];[] | [2,7,8,3];[];[1] outputs=3 -> INVALID_ARGUMENT
)",
               kPool);
  ExpectShapes(shape_inference::MaxPoolShape, R"(
[2,7,8,3] -> [d0_0,4,4,d0_3]
[2,7,8,6] padding=VALID ksize=[1,1,1,2] strides=[1,1,1,2] -> [d0_0,7,8,3]
[2,7,8,?] padding=VALID -> [d0_0,3,3,d0_3]
)",
               kPool);
  ExpectShapes(shape_inference::MaxPoolShapeWithExplicitPadding, R"(
[2,7,8,3] padding=EXPLICIT strides=[1,1,1,1] explicit_paddings=[0,0,1,2,0,1,0,0] -> [d0_0,8,7,3]
)",
               kPool);
  ExpectShapes(shape_inference::Pool3DShape, R"(
[2,7,8,9,3] data_format=NDHWC padding=VALID ksize=[1,1,2,3,1] strides=[1,1,1,2,1] -> [d0_0,7,7,4,d0_4]
[2,3,7,8,9] data_format=NCDHW padding=VALID ksize=[1,1,1,2,3] strides=[1,1,1,1,2] -> [d0_0,d0_1,7,7,4]
)",
               kPool);
}

TEST(MaxPoolV2Shape, TakesWindowsFromInputsOrAttrs) {
  const auto pool = [](InferenceContext* c) -> Status { return shape_inference::MaxPoolV2Shape(c, 3); };
  ExpectShapes(pool, R"(
[2,7,8,3];[4]=<1,2,3,1>;[4]=<1,1,2,1> -> [d0_0,6,3,3] | [2,7,8,3];[4];[4] -> ?
[2,7,8,3];[4];[3] -> INVALID_ARGUMENT | [2,7,8,3] ksize=[1,2,3,1] strides=[1,1,2,1] -> [d0_0,6,3,3]
)",
               "padding=VALID");
}

TEST(PoolGradShape, IsThatOfTheInput) {
  ExpectShapes(shape_inference::AvgPoolGradShape, R"(
[4]=<2,7,-1,3>;? -> [2,7,?,3] | [5];? -> INVALID_ARGUMENT
)");
  ExpectShapes(shape_inference::AvgPool3DGradShape, "[5];? -> [?,?,?,?,?]");
  ExpectShapes(shape_inference::MaxPoolGradShape, "[2,7,8,3];?;? -> in0");
  ExpectShapes(shape_inference::MaxPool3DGradShape, "[2,7,8,3];?;? -> INVALID_ARGUMENT");
}

TEST(FusedBatchNormShape, HasANumberForEachChannel) {
  ExpectShapes(shape_inference::FusedBatchNormShape, R"(
[2,7,8,?];[3];?;[0];[0] -> [d0_0,d0_1,d0_2,d1_0];[d1_0];[d1_0];[d1_0];[d1_0]
[2,7,8,?];[3];?;[0];[0] is_training=false -> INVALID_ARGUMENT
[2,3,7,8];[3];?;[0];[0] data_format=NCHW -> [d0_0,d0_1,d0_2,d0_3];[d0_1];[d0_1];[d0_1];[d0_1]
[2,7,8,3];[3];?;[0];[0] data_format=NDHWC -> INVALID_ARGUMENT
[2,7,8,3];[3];?;[0];[0] data_format=CHWN -> INVALID_ARGUMENT
)",
               "data_format=NHWC is_training=true outputs=5");
  ExpectShapes(shape_inference::FusedBatchNormV3Shape, R"(
[2,7,8,?];[?];?;[3];[3] is_training=false outputs=6 -> [d0_0,d0_1,d0_2,d3_0];[d3_0];[d3_0];[d3_0];[d3_0];?
)",
               "data_format=NHWC");
  ExpectShapes(shape_inference::FusedBatchNormGradShape, R"(
[2,7,8,?];[2,7,8,3];?;?;? -> [d0_0,d0_1,d0_2,d1_3];[d1_3];[d1_3];[0];[0]
[2,7,8,2];[2,7,8,3];?;?;? -> INVALID_ARGUMENT
)",
               "data_format=NHWC is_training=true outputs=5");
}

TEST(MatrixDiagShape, FitsTheDiagonals) {
  ExpectShapes(shape_inference::MatrixDiagPartV2Shape, R"(
[7,3,4];[1]=<0>;[] -> [d0_0,3] | [7,3,4];[2]=<-1,2>;[] -> [d0_0,4,3]
[7,3,4];[1]=<-2>;[] -> [d0_0,1] | [7,3,?];[2]=<0,1>;[] -> [d0_0,2,?] | ?;[1]=<0>;[] -> ?
[7,3,4];[1];[] -> ? | [7,3,4];[1]=<4>;[] -> INVALID_ARGUMENT
[7,3,4];[1]=<-3>;[] -> INVALID_ARGUMENT | [7,3,4];[2]=<1,0>;[] -> INVALID_ARGUMENT
[7,3,4];[3]=<0,1,2>;[] -> INVALID_ARGUMENT | [7];[1]=<0>;[] -> INVALID_ARGUMENT
)");
  ExpectShapes(shape_inference::MatrixDiagV2Shape, R"(
[7,3];?=<0>;[]=<-1>;[]=<-1>;[] -> [d0_0,3,3] | [7,3];?=<1>;[]=<-1>;[]=<-1>;[] -> [d0_0,4,4]
[7,2,3];?=<0,1>;[]=<-1>;[]=<5>;[] -> [d0_0,3,5] | [7,3];?=<-1>;[]=<4>;[]=<-1>;[] -> [d0_0,4,3]
[7,?];?=<0>;[]=<5>;[]=<-1>;[] -> [d0_0,5,?] | [7,3];[];[];[];[] -> ?
[7,3];?=<0>;[]=<2>;[]=<-1>;[] -> INVALID_ARGUMENT | [7,3];?=<0>;[]=<4>;[]=<5>;[] -> INVALID_ARGUMENT
[7,3,3];?=<0,1>;[]=<-1>;[]=<-1>;[] -> INVALID_ARGUMENT
[3];?=<0,1>;[]=<-1>;[]=<-1>;[] -> INVALID_ARGUMENT
)");
  ExpectShapes(shape_inference::MatrixSetDiagV2Shape, R"(
[7,3,4];[7,3];[1]=<0> -> in0 | [?,3,4];[7,2,3];[2]=<0,1> -> [d1_0,d0_1,d0_2]
?;[7,3];[1]=<0> -> [d1_0,?,?] | [?,3,4];[7,2,3];[2] -> [d1_0,d0_1,d0_2] | ?;?;[2] -> in0
[7,3,4];[7,3];[1]=<4> -> INVALID_ARGUMENT | [7,3,4];[7,3];[2]=<0,1> -> INVALID_ARGUMENT
[7,3,4];[3];? -> INVALID_ARGUMENT
)");
}

TEST(EinsumShape, HasTheDimensionsOfTheOutput) {
  ExpectShapes(shape_inference::EinsumShape, R"(
[2,3];[3,5] equation=ij,jk->ik -> [d0_0,d1_1] | [2,3] equation=ab->ba -> [d0_1,d0_0]
[?,2];[2] equation=aa,a-> -> []
[7,1,2,3];[4,3,5] equation=...ij,...jk->i...k -> [d0_2,d0_0,d1_0,d1_2]
[2,3];? equation=ij,...jk->i...k -> ? | ?;? equation=ij,jk->ik -> [?,?]
[2,3];[4,5] equation=ij,jk->ik -> INVALID_ARGUMENT
[2,3];[3] equation=ij,jk->ik -> INVALID_ARGUMENT | [2,3] equation=ij,jk->ik -> INVALID_ARGUMENT
[2,3] equation=i...->i -> INVALID_ARGUMENT | [2,3] equation=ij->k -> INVALID_ARGUMENT
[2,3] equation=......->... -> INVALID_ARGUMENT | [2,3] equation=ij -> INVALID_ARGUMENT
[2,3] equation=i.->i -> INVALID_ARGUMENT
)");
}

TEST(Einsum, NumbersTheLettersOfAnEquation) {
  OperandLabels inputs;
  Labels output;
  std::vector<EinsumDimensionType> types;
  OperandLabelCounts input_counts;
  LabelCounts output_counts;
  gtl::InlinedVector<bool, 2> input_has_ellipsis;
  bool output_has_ellipsis = false;
  TF_CHECK_OK(ParseEinsumEquation("bij...,bjkk->b...ik", &inputs, &output, &types, &input_counts, &output_counts,
                                  &input_has_ellipsis, &output_has_ellipsis));
  EXPECT_EQ(inputs[0], Labels({0, 1, 2, kEllipsisLabel}));
  EXPECT_EQ(output, Labels({0, kEllipsisLabel, 1, 3}));
  EXPECT_EQ(types, std::vector<EinsumDimensionType>({kBatch, kFree, kContract, kFree}));
  EXPECT_EQ(input_counts[1], LabelCounts({1, 0, 1, 2}));
  EXPECT_EQ(output_counts, LabelCounts({1, 1, 0, 1}));
  EXPECT_TRUE(input_has_ellipsis[0] && !input_has_ellipsis[1] && output_has_ellipsis);
  EXPECT_TRUE(kBroadcasting == 0 && kReduce == 4);
}

TEST(Einsum, SplitsAnEquation) {
  gtl::InlinedVector<std::string, 2> inputs;
  std::string output;
  TF_CHECK_OK(ValidateEinsumEquation(",ab->b", &inputs, &output));
  EXPECT_EQ(inputs, (gtl::InlinedVector<std::string, 2>{"", "ab"}));
  EXPECT_EQ(output, "b");
  EXPECT_FALSE(ValidateEinsumEquation("a,b,c->", &inputs, &output).ok());
  EXPECT_FALSE(ValidateEinsumEquation("a->b->c", &inputs, &output).ok());
}

TEST(QuantizedConcatV2Shape, ConcatenatesTheFirstInputs) {
  ExpectShapes([](InferenceContext* c) -> Status { return shape_inference::QuantizedConcatV2Shape(c, 2); },
               "[2,3];[2,4];[]=<1>;?;?;?;? -> [d0_0,7]");
}

TEST(DatasetIteratorShape, HasTheShapesOfTheAttr) {
  opsrun_test::TestShapeCall call("[]", 2), short_call("[]", 1);
  call.attrs.Shapes("output_shapes", {{2, -1}, {}});
  short_call.attrs.Shapes("output_shapes", {{2, -1}, {}});
  EXPECT_EQ(Infer(call, shape_inference::DatasetIteratorShape), "[2,?];[]");
  Infer(short_call, shape_inference::DatasetIteratorShape);
  EXPECT_EQ(short_call.failure().code, error::INVALID_ARGUMENT);
}

TEST(ValidateVariableResourceHandle, KnowsNothingOfVariables) {
  EXPECT_EQ(Infer("[]",
                  [](InferenceContext* c) -> Status {
                    std::vector<shape_inference::ShapeAndType> variable;
                    TF_RETURN_IF_ERROR(shape_inference::ValidateVariableResourceHandle(c, &variable));
                    EXPECT_EQ(variable.at(0).dtype, DT_INVALID);
                    c->set_output(0, variable.at(0).shape);
                    return Status();
                  }),
            "?");
}

TEST(InferenceContext, WritesShapesIntoMessages) {
  Infer("[2,?];?", [](InferenceContext* c) -> Status {
    TensorShapeProto proto;
    c->ShapeHandleToProto(c->input(0), &proto);
    EXPECT_EQ(PartialTensorShape(proto).DebugString(), "[2,?]");
    EXPECT_TRUE(c->ShapeHandleToProto(c->input(1)).unknown_rank());
    return Status();
  });
}

}  // namespace
}  // namespace tensorflow
