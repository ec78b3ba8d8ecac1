// plugins/shape_ops/shape_ops_test.cc: Shape, Reshape and Fill, from their shape functions to their kernels.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/testing.h"

namespace {

using namespace opsrun::test;

TEST(FillShape, IsWhatTheSizesSpell) {
  ShapeInferenceTestOp op("Fill");
  INFER_OK(op, "?;[]", "?");
  INFER_OK(op, "[2];[]", "[?,?]");
  op.ValueAsShape(0, "[2,?]");
  INFER_OK(op, "[2];[]", "[2,?]");
  op.ForgetValues().Value<int32_t>(0, {2}, {3, 0});
  INFER_OK(op, "[2];[]", "[3,0]");
}

TEST(ShapeShape, HasAnElementForEachDimension) {
  ShapeInferenceTestOp op("Shape");
  INFER_OK(op, "[2,?,4]", "[3]");
  INFER_OK(op, "[]", "[0]");
  INFER_OK(op, "?", "[?]");
}

TEST(ReshapeShape, FindsTheOpenSize) {
  ShapeInferenceTestOp op("Reshape");
  INFER_OK(op, "[2,3];[2]", "[?,?]");
  INFER_OK(op, "[2,3];?", "?");
  op.Value<int32_t>(1, {2}, {3, -1});
  INFER_OK(op, "[2,3];[2]", "[3,2]");
  INFER_OK(op, "[2,?];[2]", "[3,?]");
  INFER_OK(op, "?;[2]", "[3,?]");
  INFER_ERROR("a tensor of 4 elements cannot have the shape [3,?]", op, "[4];[2]");
}

TEST(ReshapeShape, KeepsSizesThatAreKnownInPart) {
  ShapeInferenceTestOp op("Reshape");
  op.ValueAsShape(1, "[?,3]");
  INFER_OK(op, "[?];[2]", "[?,3]");
  INFER_ERROR("a tensor of 4 elements cannot have the shape [?,3]", op, "[4];[2]");
}

TEST(ReshapeShape, OfNoElementsIsFoundFromTheSizesThatAreNotZero) {
  ShapeInferenceTestOp op("Reshape");
  op.Value<int32_t>(1, {2}, {0, -1});
  INFER_OK(op, "[0,3];[2]", "[0,3]");
  INFER_OK(op, "[?,3];[2]", "[0,?]");
  INFER_ERROR("input:shape", op, "[1,3];[2]");
}

class ShapeOps : public OpTest {};

TEST_F(ShapeOps, ReshapeTakesOverTheInputsMemory) {
  Op("Reshape").Input<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6}).Input<int32_t>({1}, {6}).Late();
  Run();
  EXPECT_TRUE(Forwarded(0, 0));
  ExpectOutput<int32_t>(0, {6}, {1, 2, 3, 4, 5, 6});
}

}  // namespace
