// compat/tests/tensorflow/shape_fns_test.cc: the shapes of diagonals, of einsum, and of what few sources use. What is expected
// is what TensorFlow 2.15 infers, where it does not take an unknown size for a size of -1.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/util/einsum_op_util.h"
#include "tests/sdk/outputs.h"

namespace tensorflow {
namespace {

using opsrun_test::FakeHost;
using opsrun_test::FakeShapeCall;
using opsrun_test::Outputs;
using shape_inference::InferenceContext;

// Runs a shape function whose input `at` is k.
template <typename Fn>
std::string WithK(const std::string& inputs, uint32_t at, const std::vector<int32_t>& k, Fn fn) {
  FakeHost host;
  FakeShapeCall call(host, inputs);
  call.Value<int32_t>(at, {static_cast<int64_t>(k.size())}, k);
  return Outputs(call, fn);
}

TEST(MatrixDiagPartV2Shape, HasTheLengthOfTheLongestDiagonal) {
  const auto part = shape_inference::MatrixDiagPartV2Shape;
  EXPECT_EQ(WithK("[7,3,4];[1];[]", 1, {0}, part), "[d0_0,3]");
  EXPECT_EQ(WithK("[7,3,4];[2];[]", 1, {-1, 2}, part), "[d0_0,4,3]");
  EXPECT_EQ(WithK("[7,3,4];[1];[]", 1, {-2}, part), "[d0_0,1]");
  EXPECT_EQ(WithK("[7,3,?];[2];[]", 1, {0, 1}, part), "[d0_0,2,?]");
  EXPECT_EQ(WithK("?;[1];[]", 1, {0}, part), "?");
  EXPECT_EQ(Outputs("[7,3,4];[1];[]", part), "?");
}

TEST(MatrixDiagPartV2Shape, RefusesDiagonalsThatAMatrixDoesNotHave) {
  const auto part = shape_inference::MatrixDiagPartV2Shape;
  EXPECT_EQ(WithK("[7,3,4];[1];[]", 1, {4}, part), "INVALID_ARGUMENT");
  EXPECT_EQ(WithK("[7,3,4];[1];[]", 1, {-3}, part), "INVALID_ARGUMENT");
  EXPECT_EQ(WithK("[7,3,4];[2];[]", 1, {1, 0}, part), "INVALID_ARGUMENT");
  EXPECT_EQ(WithK("[7,3,4];[3];[]", 1, {0, 1, 2}, part), "INVALID_ARGUMENT");
  EXPECT_EQ(WithK("[7];[1];[]", 1, {0}, part), "INVALID_ARGUMENT");
}

std::string Matrix(const std::string& diagonals, const std::vector<int32_t>& k, int32_t rows, int32_t columns) {
  FakeHost host;
  FakeShapeCall call(host, diagonals + ";[2];[];[];[]");
  call.Value<int32_t>(1, {static_cast<int64_t>(k.size())}, k);
  call.Value<int32_t>(2, {}, {rows}).Value<int32_t>(3, {}, {columns});
  return Outputs(call, shape_inference::MatrixDiagV2Shape);
}

TEST(MatrixDiagV2Shape, FitsTheDiagonals) {
  EXPECT_EQ(Matrix("[7,3]", {0}, -1, -1), "[d0_0,3,3]");
  EXPECT_EQ(Matrix("[7,3]", {1}, -1, -1), "[d0_0,4,4]");
  EXPECT_EQ(Matrix("[7,2,3]", {0, 1}, -1, 5), "[d0_0,3,5]");
  EXPECT_EQ(Matrix("[7,3]", {-1}, 4, -1), "[d0_0,4,3]");
  EXPECT_EQ(Matrix("[7,?]", {0}, 5, -1), "[d0_0,5,?]");
  EXPECT_EQ(Outputs("[7,3];[];[];[];[]", shape_inference::MatrixDiagV2Shape), "?");
}

TEST(MatrixDiagV2Shape, RefusesSizesThatDoNotFit) {
  EXPECT_EQ(Matrix("[7,3]", {0}, 2, -1), "INVALID_ARGUMENT");
  EXPECT_EQ(Matrix("[7,3]", {0}, 4, 5), "INVALID_ARGUMENT");
  EXPECT_EQ(Matrix("[7,3,3]", {0, 1}, -1, -1), "INVALID_ARGUMENT");
  EXPECT_EQ(Matrix("[3]", {0, 1}, -1, -1), "INVALID_ARGUMENT");
}

TEST(MatrixSetDiagV2Shape, IsThatOfTheMatrices) {
  const auto set = shape_inference::MatrixSetDiagV2Shape;
  EXPECT_EQ(WithK("[7,3,4];[7,3];[1]", 2, {0}, set), "in0");
  EXPECT_EQ(WithK("[?,3,4];[7,2,3];[2]", 2, {0, 1}, set), "[d1_0,d0_1,d0_2]");
  EXPECT_EQ(WithK("?;[7,3];[1]", 2, {0}, set), "[d1_0,?,?]");
  EXPECT_EQ(Outputs("[?,3,4];[7,2,3];[2]", set), "[d1_0,d0_1,d0_2]");
  EXPECT_EQ(Outputs("?;?;[2]", set), "in0");
  EXPECT_EQ(WithK("[7,3,4];[7,3];[1]", 2, {4}, set), "INVALID_ARGUMENT");
  EXPECT_EQ(WithK("[7,3,4];[7,3];[2]", 2, {0, 1}, set), "INVALID_ARGUMENT");
  EXPECT_EQ(Outputs("[7,3,4];[3];?", set), "INVALID_ARGUMENT");
}

std::string Einsum(const std::string& inputs, const std::string& equation) {
  FakeHost host;
  FakeShapeCall call(host, inputs);
  call.attrs.String("equation", equation);
  return Outputs(call, shape_inference::EinsumShape);
}

TEST(EinsumShape, HasTheDimensionsOfTheOutput) {
  EXPECT_EQ(Einsum("[2,3];[3,5]", "ij,jk->ik"), "[d0_0,d1_1]");
  EXPECT_EQ(Einsum("[2,3]", "ab->ba"), "[d0_1,d0_0]");
  EXPECT_EQ(Einsum("[?,2];[2]", "aa,a->"), "[]");
  EXPECT_EQ(Einsum("[7,1,2,3];[4,3,5]", "...ij,...jk->i...k"), "[d0_2,d0_0,d1_0,d1_2]");
  EXPECT_EQ(Einsum("[2,3];?", "ij,...jk->i...k"), "?");
  EXPECT_EQ(Einsum("?;?", "ij,jk->ik"), "[?,?]");
}

TEST(EinsumShape, RefusesWhatDoesNotFit) {
  EXPECT_EQ(Einsum("[2,3];[4,5]", "ij,jk->ik"), "INVALID_ARGUMENT");
  EXPECT_EQ(Einsum("[2,3];[3]", "ij,jk->ik"), "INVALID_ARGUMENT");
  EXPECT_EQ(Einsum("[2,3]", "ij,jk->ik"), "INVALID_ARGUMENT");
  EXPECT_EQ(Einsum("[2,3]", "i...->i"), "INVALID_ARGUMENT");
  EXPECT_EQ(Einsum("[2,3]", "ij->k"), "INVALID_ARGUMENT");
  EXPECT_EQ(Einsum("[2,3]", "......->..."), "INVALID_ARGUMENT");
  EXPECT_EQ(Einsum("[2,3]", "ij"), "INVALID_ARGUMENT");
  EXPECT_EQ(Einsum("[2,3]", "i.->i"), "INVALID_ARGUMENT");
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
  FakeHost host;
  FakeShapeCall call(host, "[2,3];[2,4];[];?;?;?;?");
  call.Value<int32_t>(2, {}, {1});
  EXPECT_EQ(Outputs(call, [](InferenceContext* c) -> Status { return shape_inference::QuantizedConcatV2Shape(c, 2); }),
            "[d0_0,7]");
}

TEST(DatasetIteratorShape, HasTheShapesOfTheAttr) {
  FakeHost host;
  FakeShapeCall call(host, "[]", 2), short_call(host, "[]", 1);
  call.attrs.Shapes("output_shapes", {{2, -1}, {}});
  short_call.attrs.Shapes("output_shapes", {{2, -1}, {}});
  EXPECT_EQ(Outputs(call, shape_inference::DatasetIteratorShape), "[2,?];[]");
  EXPECT_EQ(Outputs(short_call, shape_inference::DatasetIteratorShape), "INVALID_ARGUMENT");
}

TEST(ValidateVariableResourceHandle, KnowsNothingOfVariables) {
  EXPECT_EQ(Outputs("[]",
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
  Outputs("[2,?];?", [](InferenceContext* c) -> Status {
    TensorShapeProto proto;
    c->ShapeHandleToProto(c->input(0), &proto);
    EXPECT_EQ(PartialTensorShape(proto).DebugString(), "[2,?]");
    EXPECT_TRUE(c->ShapeHandleToProto(c->input(1)).unknown_rank());
    return Status();
  });
}

}  // namespace
}  // namespace tensorflow
