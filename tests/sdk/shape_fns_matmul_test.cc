// tests/sdk/shape_fns_matmul_test.cc: the shapes of broadcasting operands and of products of matrices.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "opsrun/common_shape_fns.h"
#include "tests/sdk/infer.h"
#include "tests/sdk/outputs.h"

namespace opsrun_test {
namespace {

namespace shapes = opsrun::shape_inference;

TEST(Broadcast, AlignsTheLastDimensions) {
  EXPECT_EQ(Infer("[4,1];[3]", shapes::BroadcastBinaryOpShapeFn), "[d0_0,d1_0]");
  EXPECT_EQ(Infer("[];[2,3]", shapes::BroadcastBinaryOpShapeFn), "[d1_0,d1_1]");
  EXPECT_EQ(Infer("[1];[1]", shapes::BroadcastBinaryOpShapeFn), "[d1_0]");
  EXPECT_EQ(Infer("[0];[1]", shapes::BroadcastBinaryOpShapeFn), "[d0_0]");
  EXPECT_EQ(Infer("[2];[]", shapes::BroadcastBinaryOpShapeFn), "[d0_0]");
  EXPECT_EQ(Infer("[];[]", shapes::BroadcastBinaryOpShapeFn), "[]");
  EXPECT_EQ(Infer("?;[2]", shapes::BroadcastBinaryOpShapeFn), "?");
  EXPECT_EQ(Infer("[2];?", shapes::BroadcastBinaryOpShapeFn), "?");
}

TEST(Broadcast, OfAnUnknownDimensionIsKnownOnlyBesideALargerOne) {
  EXPECT_EQ(Infer("[?];[3]", shapes::BroadcastBinaryOpShapeFn), "[d1_0]");
  EXPECT_EQ(Infer("[?];[1]", shapes::BroadcastBinaryOpShapeFn), "[d0_0]");
  EXPECT_EQ(Infer("[?];[0]", shapes::BroadcastBinaryOpShapeFn), "[?]");
  EXPECT_EQ(Infer("[?];[?]", shapes::BroadcastBinaryOpShapeFn), "[?]");
}

TEST(Broadcast, NamesShapesThatDoNotFit) {
  EXPECT_EQ(Infer("[2,4];[3,1]", shapes::BroadcastBinaryOpShapeFn),
            "error: Shapes [2,4] and [3,1] cannot be broadcast together: dimension -2 is 2 and 3");
}

// Of one handle both sides are one quantity, so whatever it is, it is the result.
TEST(Broadcast, OfOneUnknownDimensionWithItselfIsThatDimension) {
  EXPECT_EQ(InferShape("[?]",
                       [](InferenceContext* c, ShapeHandle* out) {
                         return shapes::BroadcastBinaryOpOutputShapeFnHelper(c, c->input(0), c->input(0), out);
                       }),
            "[d0_0]");
}

std::string MayDiffer(const std::string& inputs) {
  return InferShape(inputs, [](InferenceContext* c, ShapeHandle* out) {
    return shapes::BroadcastBinaryOpOutputShapeFnHelper(c, c->input(0), c->input(1), false, out);
  });
}

TEST(Broadcast, MayHaveAnAnswerForShapesThatDoNotFit) {
  EXPECT_EQ(MayDiffer("[4,1];[3]"), "[d0_0,d1_0]");
  EXPECT_EQ(MayDiffer("[2];[3]"), "?");
  EXPECT_EQ(MayDiffer("[?];[3]"), "?");
  EXPECT_EQ(MayDiffer("[3];[?]"), "?");
  EXPECT_EQ(MayDiffer("?;[3]"), "?");
  EXPECT_EQ(InferShape("[2];[3]",
                       [](InferenceContext* c, ShapeHandle* out) {
                         return shapes::BroadcastBinaryOpOutputShapeFnHelper(c, c->input(0), c->input(1), true, out);
                       }),
            "error: Shapes [2] and [3] cannot be broadcast together: dimension -1 is 2 and 3");
}

std::string MatMul(const std::string& inputs, bool transpose_a, bool transpose_b) {
  FakeHost host;
  FakeShapeCall call(host, inputs);
  call.attrs.Bool("transpose_a", transpose_a).Bool("transpose_b", transpose_b);
  return Infer(call, shapes::MatMulShape);
}

TEST(MatMulShape, TakesTheOuterDimensions) {
  EXPECT_EQ(MatMul("[2,3];[3,5]", false, false), "[d0_0,d1_1]");
  EXPECT_EQ(MatMul("[3,2];[5,3]", true, true), "[d0_1,d1_0]");
  EXPECT_EQ(MatMul("?;[3,5]", false, false), "[?,d1_1]");
  EXPECT_EQ(MatMul("[2,3];[4,5]", false, false), "error: Dimensions must be equal, got 3 and 4");
  EXPECT_EQ(MatMul("[2,3,1];[3,5]", false, false), "error: Shape must be rank 2 but is rank 3: [2,3,1]");
}

TEST(MatMulShape, NeedsItsAttrs) {
  EXPECT_EQ(Infer("[2,3];[3,5]", shapes::MatMulShape), "error: The op has no attr 'transpose_a' (it has: none)");
}

template <typename Fn>
std::string Batch(const std::string& inputs, Fn fn, bool adj_x = false, bool adj_y = false) {
  FakeHost host;
  FakeShapeCall call(host, inputs);
  call.attrs.Bool("adj_x", adj_x).Bool("adj_y", adj_y);
  return Infer(call, fn);
}

TEST(BatchMatMulShape, MultipliesTheLastTwoDimensions) {
  EXPECT_EQ(Batch("[7,2,3];[7,3,5]", shapes::BatchMatMulShape), "[d0_0,d0_1,d1_2]");
  EXPECT_EQ(Batch("[7,3,2];[7,5,3]", shapes::BatchMatMulShape, true, true), "[d0_0,d0_2,d1_1]");
  EXPECT_EQ(Batch("[2,3];[3,5]", shapes::BatchMatMulShape), "[d0_0,d1_1]");
  EXPECT_EQ(Batch("[7,2,3];[7,4,5]", shapes::BatchMatMulShape), "error: Dimensions must be equal, got 3 and 4");
}

TEST(BatchMatMulShape, HasTheSameBatchOnBothSides) {
  EXPECT_EQ(Batch("[?,2,3];[7,3,5]", shapes::BatchMatMulShape), "[d1_0,d0_1,d1_2]");
  EXPECT_EQ(Batch("[1,2,3];[7,3,5]", shapes::BatchMatMulShape),
            "error: Dimension 0 of [1] and [7] must be equal, got 1 and 7");
  EXPECT_EQ(Batch("[2,3];[7,3,5]", shapes::BatchMatMulShape),
            "error: Shapes must have the same rank, but [] and [7] have 0 and 1");
}

TEST(BatchMatMulShape, KnowsTheBatchOfEitherSide) {
  EXPECT_EQ(Batch("?;[7,3,5]", shapes::BatchMatMulShape), "[d1_0,?,d1_2]");
  EXPECT_EQ(Batch("?;?", shapes::BatchMatMulShape), "?");
  EXPECT_EQ(Batch("[3];[7,3,5]", shapes::BatchMatMulShape), "error: Shape must be at least rank 2 but is rank 1: [3]");
}

TEST(BatchMatMulV2Shape, BroadcastsTheBatch) {
  EXPECT_EQ(Batch("[1,2,3];[7,3,5]", shapes::BatchMatMulV2Shape), "[d1_0,d0_1,d1_2]");
  EXPECT_EQ(Batch("[2,3];[7,3,5]", shapes::BatchMatMulV2Shape), "[d1_0,d0_0,d1_2]");
  EXPECT_EQ(Batch("[4,1,2,3];[7,5,3]", shapes::BatchMatMulV2Shape, false, true), "[d0_0,d1_0,d0_2,d1_1]");
  EXPECT_EQ(Batch("[?,2,3];[1,3,5]", shapes::BatchMatMulV2Shape), "[d0_0,d0_1,d1_2]");
  EXPECT_EQ(Batch("[?,2,3];[?,3,5]", shapes::BatchMatMulV2Shape), "[?,d0_1,d1_2]");
}

TEST(BatchMatMulV2Shape, RefusesWhatDoesNotFit) {
  EXPECT_EQ(Batch("?;[7,3,5]", shapes::BatchMatMulV2Shape), "?");
  EXPECT_EQ(Batch("[2,2,3];[7,3,5]", shapes::BatchMatMulV2Shape),
            "error: Shapes [2] and [7] cannot be broadcast together: dimension -1 is 2 and 7");
  EXPECT_EQ(Batch("[7,2,3];[7,4,5]", shapes::BatchMatMulV2Shape), "error: Dimensions must be equal, got 3 and 4");
}

namespace shapes = opsrun::shape_inference;
using opsrun::ReturnedStatus;
using shapes::InferenceContext;

std::string Validated(const std::string& inputs) {
  return Outputs(inputs, [](InferenceContext* c) -> ReturnedStatus {
    return shapes::ValidateSparseTensor(c, c->input(0), c->input(1), c->input(2));
  });
}

TEST(ValidateSparseTensor, NeedsThreeShapesThatFit) {
  EXPECT_EQ(Validated("[5,2];[5];[2]"), "?");
  EXPECT_EQ(Validated("?;[?];?"), "?");
  EXPECT_EQ(Validated("[5,2];[4];[2]"), "INVALID_ARGUMENT");
  EXPECT_EQ(Validated("[5,2];[5];[3]"), "INVALID_ARGUMENT");
  EXPECT_EQ(Validated("[5];[5];[2]"), "INVALID_ARGUMENT");
}

TEST(ValidateSparseTensor, TellsWhichDimensionsAreEqual) {
  FakeHost host;
  FakeShapeCall call(host, "[?,2];[?];[2]");
  Outputs(call, [](InferenceContext* c) -> ReturnedStatus {
    return shapes::ValidateSparseTensor(c, c->input(0), c->input(1), c->input(2));
  });
  EXPECT_EQ(call.equated().size(), 1u);
}

std::string Reduced(const std::vector<int64_t>& sizes, const std::vector<int32_t>& axes, bool keep_dims) {
  FakeHost host;
  FakeShapeCall call(host, "?;?;[?];[?]");
  call.attrs.Bool("keep_dims", keep_dims);
  call.Value<int64_t>(2, {static_cast<int64_t>(sizes.size())}, sizes);
  call.Value<int32_t>(3, {static_cast<int64_t>(axes.size())}, axes);
  return Outputs(call, shapes::SparseReduceShapeFn);
}

TEST(SparseReduceShape, LeavesOutAxes) {
  EXPECT_EQ(Reduced({2, 3, 4}, {0, -1}, false), "[3]");
  EXPECT_EQ(Reduced({2, 3, 4}, {0, -1}, true), "[1,3,1]");
  EXPECT_EQ(Reduced({2, 3}, {}, false), "[2,3]");
  EXPECT_EQ(Reduced({2, 3}, {2}, false), "INVALID_ARGUMENT");
  EXPECT_EQ(Reduced({}, {}, false), "INVALID_ARGUMENT");
}

TEST(SparseReduceShape, DependsOnValues) {
  FakeHost host;
  FakeShapeCall call(host, "?;?;[2];[1]");
  call.attrs.Bool("keep_dims", false);
  EXPECT_EQ(Outputs(call, shapes::SparseReduceShapeFn), "?");
  EXPECT_EQ(call.wanted(), (std::set<uint32_t>{2, 3}));
}

std::string Scattered(const std::string& inputs, uint32_t n_out = 1) {
  return Outputs(
      inputs,
      [](InferenceContext* c) -> ReturnedStatus {
        return shapes::ScatterNdShapeHelper(c, c->input(0), c->input(1), c->input(2));
      },
      n_out);
}

TEST(ScatterNdShapeHelper, NeedsASliceForEachIndex) {
  EXPECT_EQ(Scattered("[5,1];[5,7];[9,7]"), "in2");
  EXPECT_EQ(Scattered("[5,2];[5];[9,7]"), "in2");
  EXPECT_EQ(Scattered("[5,?];?;[9,7]"), "in2");
  EXPECT_EQ(Scattered("[5,1];[5,7];[9,7]", 0), "");
  EXPECT_EQ(Scattered("[5,1];[4,7];[9,7]"), "INVALID_ARGUMENT");
  EXPECT_EQ(Scattered("[5,1];[5,6];[9,7]"), "INVALID_ARGUMENT");
  EXPECT_EQ(Scattered("[];[5];[9]"), "INVALID_ARGUMENT");
}

TEST(ScatterNdShapeHelper, WritesNothingIntoAnEmptyTensor) {
  EXPECT_EQ(Scattered("[0,1];[0,7];[0,7]"), "in2");
  EXPECT_EQ(Scattered("[5,1];[5,7];[0,7]"), "INVALID_ARGUMENT");
}

TEST(SegmentReductionWithNumSegmentsShape, IsTheNewerNameOfTheUnsortedOne) {
  FakeHost host;
  FakeShapeCall call(host, "[5,6,7];[5];[]");
  call.Value<int32_t>(2, {}, {3});
  EXPECT_EQ(Outputs(call, shapes::SegmentReductionWithNumSegmentsShapeFn), "[3,d0_1,d0_2]");
}

}  // namespace

}  // namespace opsrun_test
