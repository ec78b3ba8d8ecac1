// tests/sdk/common_shape_fns_test.cc: the shape functions that come with the SDK.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/common_shape_fns.h"

#include "tests/sdk/infer.h"

namespace opsrun_test {
namespace {

namespace shapes = opsrun::shape_inference;

TEST(UnchangedShape, HandsTheInputOn) {
  EXPECT_EQ(Infer("[?,3]", shapes::UnchangedShape), "in0");
  EXPECT_EQ(Infer("?", shapes::UnchangedShape), "in0");
}

TEST(UnchangedShape, MayAssertARank) {
  EXPECT_EQ(Infer("?", [](InferenceContext* c) { return shapes::UnchangedShapeWithRank(c, 2); }), "[?,?]");
  EXPECT_EQ(Infer("[1]", [](InferenceContext* c) { return shapes::UnchangedShapeWithRank(c, 2); }),
            "error: Shape must be rank 2 but is rank 1: [1]");
  EXPECT_EQ(Infer("[1]", [](InferenceContext* c) { return shapes::UnchangedShapeWithRankAtLeast(c, 2); }),
            "error: Shape must be at least rank 2 but is rank 1: [1]");
  EXPECT_EQ(Infer("[1]", [](InferenceContext* c) { return shapes::UnchangedShapeWithRankAtMost(c, 2); }), "in0");
}

TEST(ScalarShape, IsAScalar) {
  EXPECT_EQ(Infer("[1]", shapes::ScalarShape), "[]");
}

TEST(UnknownShape, LeavesEveryOutputOpen) {
  FakeHost host;
  FakeShapeCall call(host, "[1]", 2);
  EXPECT_EQ(Infer(call, shapes::UnknownShape), "?;?");
}

TEST(NoOutputs, SetsNone) {
  FakeHost host;
  FakeShapeCall call(host, "[1]", 0);
  EXPECT_EQ(Infer(call, shapes::NoOutputs), "");
}

TEST(MergeBothInputs, MustAgree) {
  EXPECT_EQ(Infer("[?,3];[2,?]", shapes::MergeBothInputsShapeFn), "[d1_0,d0_1]");
  EXPECT_EQ(Infer("[2];[3]", shapes::MergeBothInputsShapeFn),
            "error: Dimension 0 of [2] and [3] must be equal, but is 2 and 3");
}

TEST(Broadcast, AlignsTheLastDimensions) {
  EXPECT_EQ(Infer("[4,1];[3]", shapes::BroadcastBinaryOpShapeFn), "[d0_0,d1_0]");
  EXPECT_EQ(Infer("[];[2,3]", shapes::BroadcastBinaryOpShapeFn), "[d1_0,d1_1]");
  EXPECT_EQ(Infer("[1];[1]", shapes::BroadcastBinaryOpShapeFn), "[d1_0]");
  EXPECT_EQ(Infer("[0];[1]", shapes::BroadcastBinaryOpShapeFn), "[d0_0]");
  EXPECT_EQ(Infer("?;[2]", shapes::BroadcastBinaryOpShapeFn), "?");
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
  EXPECT_EQ(MatMul("[2,3];[4,5]", false, false), "error: Dimensions must be equal, but one is 3 and the other 4");
}

}  // namespace
}  // namespace opsrun_test
