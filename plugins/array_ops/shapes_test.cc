// plugins/array_ops/shapes_test.cc: the shape functions of array_ops, for partly known inputs.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/testing.h"

namespace {

using opsrun::test::ShapeInferenceTestOp;

TEST(SliceShape, IsTheSizesOrTheRestAsFarAsTheyAreKnown) {
  ShapeInferenceTestOp op("Slice");
  INFER_OK(op, "[4,?];[2];[2]", "[?,?]");
  INFER_OK(op, "?;[2];[2]", "[?,?]");
  op.Value<int32_t>(1, {2}, {1, 2}).Value<int32_t>(2, {2}, {-1, 3});
  INFER_OK(op, "[4,?];[2];[2]", "[3,3]");
  INFER_OK(op, "[?,9];[2];[2]", "[?,3]");
  op.ForgetValues().ValueAsShape(2, "[?,3]");
  INFER_OK(op, "[4,?];[2];[2]", "[?,3]");
  op.Value<int32_t>(1, {2}, {0, 2});
  INFER_OK(op, "[4,5];[2];[2]", "[?,3]");
  INFER_ERROR("INVALID_ARGUMENT: input:size: size[1] is 3, but must be between -1 and 2", op, "[4,4];[2];[2]");
}

TEST(StridedSliceShape, KnowsWhatMasksLeave) {
  ShapeInferenceTestOp op("StridedSlice");
  op.Attr("begin_mask", 1).Attr("end_mask", 1).Attr("shrink_axis_mask", 2).Attr("new_axis_mask", 4);
  INFER_OK(op, "[?,5,6];[3];[3];[3]", "[?,1,d0_2]");
  op.Value<int32_t>(1, {3}, {0, -1, 0}).Value<int32_t>(2, {3}, {0, 0, 0}).Value<int32_t>(3, {3}, {-1, 1, 1});
  INFER_OK(op, "[?,5,6];[3];[3];[3]", "[d0_0,1,d0_2]");
  INFER_OK(op, "[4,?,?];[3];[3];[3]", "[d0_0,1,d0_2]");
  INFER_OK(op, "?;[3];[3];[3]", "?");
}

TEST(StridedSliceShape, CountsStepsAsFarAsTheyAreKnown) {
  ShapeInferenceTestOp op("StridedSlice");
  op.Value<int64_t>(1, {1}, {-2}).Value<int64_t>(2, {1}, {0}).Value<int64_t>(3, {1}, {-3});
  INFER_OK(op, "[10];[1];[1];[1]", "[3]");
  INFER_OK(op, "[?];[1];[1];[1]", "[?]");
  op.ForgetValues().ValueAsShape(1, "[?,1]").ValueAsShape(2, "[?,3]").ValueAsShape(3, "[?,1]");
  INFER_OK(op, "[9,9];[2];[2];[2]", "[?,2]");
  op.ForgetValues().Value<int32_t>(1, {1}, {0}).Value<int32_t>(3, {1}, {1}).Attr("end_mask", 1);
  INFER_OK(op, "[?];[1];[1];[1]", "[d0_0]");
  op.Value<int32_t>(1, {1}, {-1});
  INFER_OK(op, "[?];[1];[1];[1]", "[?]");
}

TEST(ConcatShape, AddsAlongTheAxis) {
  ShapeInferenceTestOp op("ConcatV2");
  INFER_OK(op, "[2,3];[2,?];[]", "[?,?]");
  op.Value<int32_t>(2, {}, {-1});
  INFER_OK(op, "[2,3];[?,4];[]", "[d0_0,7]");
}

TEST(GatherShape, PutsIndicesInPlaceOfTheAxis) {
  INFER_OK(ShapeInferenceTestOp("Gather"), "[9,?,4];[2,?]", "[d1_0,d1_1,d0_1,d0_2]");
  INFER_OK(ShapeInferenceTestOp("Gather"), "?;[2]", "?");
  ShapeInferenceTestOp op("GatherV2");
  INFER_OK(op, "[5,6];[2];[]", "[?,?]");
  op.Value<int32_t>(2, {}, {-1}).Attr("batch_dims", 1);
  INFER_OK(op, "[5,6];[?,2];[]", "[d0_0,d1_1]");
}

TEST(ScatterNdShape, ComparesUpdates) {
  ShapeInferenceTestOp op("ScatterNd");
  op.Value<int32_t>(2, {2}, {7, 8});
  INFER_OK(op, "[3,1];[3,8];[2]", "[7,8]");
}

TEST(TransposeShape, MovesDimensions) {
  ShapeInferenceTestOp op("Transpose");
  INFER_OK(op, "[2,?];[2]", "[?,?]");
  INFER_OK(op, "?;[2]", "[?,?]");
  op.Value<int32_t>(1, {2}, {1, 0});
  INFER_OK(op, "[2,?];[2]", "[d0_1,d0_0]");
}

TEST(TileShape, Multiplies) {
  ShapeInferenceTestOp op("Tile");
  INFER_OK(op, "[2,?];[2]", "[?,?]");
  op.Value<int32_t>(1, {2}, {3, 1});
  INFER_OK(op, "[2,?];[2]", "[6,d0_1]");
  INFER_OK(op, "?;[2]", "[?,?]");
  op.ForgetValues().ValueAsShape(1, "[1,?,17,?]");
  INFER_OK(op, "[?,2,5,0];[4]", "[d0_0,?,85,d0_3]");
}

TEST(BroadcastToShape, IsWhatIsAskedForWithTheSizesThatCannotBeRepeated) {
  ShapeInferenceTestOp op("BroadcastTo");
  op.ValueAsShape(1, "[?,?,?]");
  INFER_OK(op, "[3,1];[3]", "[?,d0_0,?]");
  op.ValueAsShape(1, "[?,4]");
  INFER_OK(op, "[1];[2]", "[?,4]");
  INFER_ERROR("input has shape [3], which cannot be broadcast to [?,4]", op, "[3];[2]");
}

TEST(SpaceToBatchShape, CutsDimensionsIntoBlocks) {
  ShapeInferenceTestOp op("SpaceToBatchND");
  INFER_OK(op, "?;?;?", "?");
  INFER_OK(op, "[1,2,3];?;?", "[?,?,?]");
  INFER_OK(op, "[1,2,3];[1];[?,2]", "[?,?,d0_2]");
  op.Value<int64_t>(1, {2}, {2, 3});
  INFER_OK(op, "[4,2,3,?];[2];[2,2]", "[24,?,?,d0_3]");
  op.Value<int32_t>(2, {2, 2}, {1, 1, 0, 0});
  INFER_OK(op, "[4,2,3,?];[2];[2,2]", "[24,2,1,d0_3]");
  INFER_OK(op, "[?,2,?,5];[2];[2,2]", "[?,2,?,d0_3]");
  op.ForgetValues().ValueAsShape(1, "[?,3]").Value<int32_t>(2, {2, 2}, {1, 1, 0, 0});
  INFER_OK(op, "[4,2,3];[2];[2,2]", "[?,?,1]");
  op.ForgetValues().Value<int32_t>(1, {2}, {2, 3}).ValueAsShape(2, "[0,0,?,1]");
  INFER_OK(op, "[1,4,2];[2];[2,2]", "[6,2,?]");
  op.ForgetValues().Value<int32_t>(1, {1}, {1}).Value<int32_t>(2, {1, 2}, {0, 0});
  INFER_OK(op, "[?,?];[1];[1,2]", "[d0_0,d0_1]");
}

TEST(BatchToSpaceShape, PutsBlocksBack) {
  ShapeInferenceTestOp op("BatchToSpaceND");
  INFER_OK(op, "[6,2,3];?;?", "[?,?,?]");
  op.Value<int32_t>(1, {2}, {2, 3});
  INFER_OK(op, "[24,2,1,?];[2];[2,2]", "[4,?,?,d0_3]");
  op.Value<int64_t>(2, {2, 2}, {1, 1, 0, 3});
  INFER_OK(op, "[24,2,1,?];[2];[2,2]", "[4,2,0,d0_3]");
  INFER_OK(op, "[?,2,?];[2];[2,2]", "[?,2,?]");
  op.ForgetValues().ValueAsShape(1, "[2,?]").Value<int32_t>(2, {2, 2}, {1, 0, 0, 0});
  INFER_OK(op, "[4,2,1];[2];[2,2]", "[?,3,?]");
}

TEST(ExpandDimsShape, AddsADimension) {
  ShapeInferenceTestOp op("ExpandDims");
  INFER_OK(op, "[2,?];[]", "[?,?,?]");
  op.Value<int32_t>(1, {}, {-2});
  INFER_OK(op, "[2,?];[]", "[d0_0,1,d0_1]");
  INFER_OK(op, "?;[]", "?");
}

TEST(SqueezeShape, RemovesDimensionsOfSizeOne) {
  ShapeInferenceTestOp op("Squeeze");
  INFER_OK(op, "[1,3,1]", "[d0_1]");
  INFER_OK(op, "[1,?]", "?");
  op.Attr("squeeze_dims", std::vector<int64_t>{-1});
  INFER_OK(op, "[1,?]", "[d0_0]");
}

TEST(OneHotShape, PutsTheDepthAtTheAxis) {
  ShapeInferenceTestOp op("OneHot");
  INFER_OK(op.Attr("axis", 0), "[?,3];[];[];[]", "[?,d0_0,d0_1]");
  op.Value<int32_t>(1, {}, {7});
  INFER_OK(op, "[?,3];[];[];[]", "[7,d0_0,d0_1]");
}

TEST(RangeShape, CountsConstants) {
  ShapeInferenceTestOp op("Range");
  INFER_OK(op, "[];[];[]", "[?]");
  op.Value<int32_t>(0, {}, {1}).Value<int32_t>(1, {}, {8}).Value<int32_t>(2, {}, {3});
  INFER_OK(op, "[];[];[]", "[3]");
}

TEST(WhereShape, HasAColumnForEachDimension) {
  INFER_OK(ShapeInferenceTestOp("Where"), "[2,?]", "[?,2]");
  INFER_OK(ShapeInferenceTestOp("Where"), "?", "[?,?]");
}

TEST(UniqueShape, NumbersEachElement) {
  INFER_OK(ShapeInferenceTestOp("Unique"), "[?]", "[?];in0");
}

TEST(RandomShape, IsTheValue) {
  ShapeInferenceTestOp op("RandomUniform");
  op.Attr("dtype", "float32").ValueAsShape(0, "[2,?]");
  INFER_OK(op, "[2]", "[2,?]");
}

}  // namespace
