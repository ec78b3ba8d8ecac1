// plugins/array_ops/array_ops_test.cc: what tests/numpy cannot see: shape functions for partly known inputs, cut loops,
// forwarded memory, state.
// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "opsrun/testing.h"

namespace {

using namespace opsrun::test;

class ArrayOps : public OpTest {
 protected:
  static std::vector<int32_t> UpTo(int64_t n) {
    std::vector<int32_t> numbers(static_cast<size_t>(n));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }
  // Runs the current node. tests/numpy compares whole outputs.
  void GivesTheSameHoweverItIsCut() {
    Run();
    const Array whole = Output(0);
    Threads(4);
    CutLoops();
    RunGives(last(), 0, whole);
  }
};

TEST_F(ArrayOps, TransposeTheSameHoweverTheLoopIsCut) {
  Op("Transpose").Input<int32_t>({333, 257}, UpTo(333 * 257)).Input<int32_t>({2}, {1, 0});
  GivesTheSameHoweverItIsCut();
}

TEST_F(ArrayOps, SliceTheSameHoweverTheLoopIsCut) {
  Op("Slice").Input<int32_t>({500, 100}, UpTo(50000)).Input<int32_t>({2}, {3, 10}).Input<int32_t>({2}, {-1, 80});
  GivesTheSameHoweverItIsCut();
}

TEST_F(ArrayOps, SpaceToBatchPassesItsInputOnIfThereIsNothingToDo) {
  Op("SpaceToBatchND").Input<float>({2, 1}, {1, 2}).Late().Input<int32_t>({1}, {1}).Input<int32_t>({1, 2}, {0, 0});
  Run();
  EXPECT_TRUE(Forwarded(0, 0));
  ExpectOutput<float>(0, {2, 1}, {1, 2});
}

TEST_F(ArrayOps, RandomNumbersAreThoseOfTheSeed) {
  Op("RandomUniform").Input<int32_t>({1}, {3}).Attr("seed", 7).Attr("dtype", "float64");
  Run();
  const auto first = Output(0);
  Threads(3);
  Op("RandomUniform").Input<int32_t>({1}, {3}).Attr("seed", 7).Attr("dtype", "float64");
  Run();
  EXPECT_EQ(Output(0).bytes, first.bytes);
  Run();
  EXPECT_NE(Output(0).bytes, first.bytes);
}

TEST_F(ArrayOps, NormalNumbersAreThoseOfEveryMachine) {
  Op("RandomStandardNormal").Input<int32_t>({1}, {6}).Attr("seed", 3).Attr("dtype", "float64");
  RunGives<double>(0, {6},
                   {-1.2083811575795256, 0.5252448752345097, 0.28708056251835684, -1.454768095428037,
                    -0.7842759339625206, 0.34837927026029614});
}

class Variables : public OpTest {
 protected:
  Node Make(const std::string& shared_name = "", const std::string& dtype = "float32") {
    return Op("Variable", "w")
        .Attr("shared_name", shared_name)
        .Attr("dtype", dtype)
        .Attr("shape", opsrun::test::Shape{-1});
  }
  Node Use(const std::string& op, const Node& variable, const Array& value) {
    return Add(op).Input(variable).Input(value);
  }
  Node Read(const Node& variable, const std::string& dtype = "float32") {
    return Add("ReadVariable").Input(variable).Attr("dtype", dtype);
  }
};

TEST_F(Variables, KeepWhatIsAssigned) {
  const Node w = Make();
  const Node first = Use("Assign", w, ArrayOf<float>({2}, {5, 6}));
  const Node sum = Use("AssignAdd", w, ArrayOf<float>({2}, {1, 0.5F})).After(first);
  const Node rest = Use("AssignSub", w, ArrayOf<float>({2}, {2, 2})).After(sum);
  const Node value = Read(w).After(rest);
  RunGives(value, 0, ArrayOf<float>({2}, {4, 4.5F}));
}

TEST_F(Variables, AreAssignedOnceOfManyRuns) {
  const Node w = Make("once");
  const Node begin = Use("Assign", w, ArrayOf<float>({1}, {10})).Attr("once", true);
  const Node step = Use("AssignSub", w, ArrayOf<float>({1}, {1})).After(begin);
  const Node value = Read(w).After(step);
  Run();
  RunGives(value, 0, ArrayOf<float>({1}, {8}));
}

TEST_F(Variables, RefuseToBeReadBeforeTheyHaveAValue) {
  Read(Make());
  RunFails("input:resource: the variable of node 'w' has no value yet");
}

TEST_F(Variables, RefuseOtherTypesAndShapes) {
  Use("Assign", Make(), ArrayOf<int32_t>({1}, {1}));
  RunFails("input:resource: the variable of node 'w' is float32, but this node asks for int32");
  Use("Assign", Make(), ArrayOf<float>({1, 1}, {1}));
  RunFails("input:value: the variable of node 'w' has the shape [?], but the shape of value is [1,1]");
  const Node w = Make();
  const Node begin = Use("Assign", w, ArrayOf<float>({2}, {1, 1}));
  Use("AssignAdd", w, ArrayOf<float>({3}, {1, 1, 1})).After(begin);
  RunFails("input:value: the variable of node 'w' holds a tensor of shape [2], but the shape of value is [3]");
}

TEST_F(Variables, RefuseHandlesOfOtherObjects) {
  Op("ReadVariable").InputHandle("Counter").Attr("dtype", "float32");
  RunFails("resource must come from an op Variable");
}

TEST_F(Variables, AddOnSeveralThreads) {
  Threads(4);
  const Node w = Make("sum", "int64");
  const Node begin = Use("Assign", w, ArrayOf<int64_t>({1}, {0}));
  Node value = Read(w, "int64");
  for (int i = 0; i < 50; ++i) value = value.After(Use("AssignAdd", w, ArrayOf<int64_t>({1}, {1})).After(begin));
  RunGives(value, 0, ArrayOf<int64_t>({1}, {50}));
}

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
