// tests/sdk/shape_fns_test.cc: the shape functions of opsrun/common_shape_fns.h, a line for each call.
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "opsrun/common_shape_fns.h"
#include "tests/sdk/infer.h"

namespace opsrun_test {
namespace {

namespace shapes = opsrun::shape_inference;

TEST(UnchangedShape, MayAssertARank) {
  ExpectShapes(shapes::UnchangedShape, R"(
[?,3] -> in0 | ? -> in0
 -> error: The shape function uses input 0 (counted from 0); the op has 0 inputs
)");
  ExpectShapes([](InferenceContext* c) { return shapes::UnchangedShapeWithRank(c, 2); }, R"(
? -> [?,?]
[1] -> error: Shape must be rank 2 but is rank 1: [1]
)");
  ExpectShapes([](InferenceContext* c) { return shapes::UnchangedShapeWithRankAtLeast(c, 2); }, R"(
[1] -> error: Shape must be at least rank 2 but is rank 1: [1]
? -> in0 | [2,?] -> in0
)");
  ExpectShapes([](InferenceContext* c) { return shapes::UnchangedShapeWithRankAtMost(c, 2); }, "[1] -> in0 | ? -> in0");
  ExpectShapes([](InferenceContext* c) { return shapes::UnchangedShapeWithRankAtMost(c, 0); }, R"(
[1] -> error: Shape must be at most rank 0 but is rank 1: [1]
)");
}

TEST(ShapeFns, OfFewInputsAndOutputs) {
  ExpectShapes(shapes::ScalarShape, R"(
[1] -> []
[1] outputs=0 -> error: The shape function uses output 0 (counted from 0); the op has 0 outputs
)");
  ExpectShapes(shapes::UnknownShape, "[1] outputs=2 -> ?;?");
  ExpectShapes(shapes::NoOutputs, "[1] outputs=0 ->");
  ExpectShapes(shapes::MergeBothInputsShapeFn, R"(
[?,3];[2,?] -> [d1_0,d0_1]
[2];[3] -> error: Dimension 0 of [2] and [3] must be equal, got 2 and 3
[1] -> error: The shape function uses input 1 (counted from 0); the op has 1 input
)");
  ExpectShapes(shapes::RandomShape, R"(
[2]=<4,-1> -> [4,?] | [0]=<> -> [] | [3] -> [?,?,?] | ? -> ?
[2]=<4,-2> -> error: Dimension 1 has size -2, below -1
[] -> error: Shape must be rank 1 but is rank 0: []
[65] -> error: A shape of 65 dimensions; there may be 0 to 64
)");
}

TEST(ExplicitShape, IsTheAttr) {
  TestShapeCall call(""), unknown("");
  call.attrs.Shape("shape", {2, -1});
  unknown.attrs.UnknownShape("shape");
  EXPECT_EQ(Infer(call, shapes::ExplicitShape), "[2,?]");
  EXPECT_EQ(Infer(unknown, shapes::ExplicitShape), "?");
  ExpectShapes(shapes::ExplicitShape, " -> error: The op has no attr 'shape' (it has: none)");
}

TEST(ExplicitShapes, AreAsManyAsTheOutputs) {
  TestShapeCall call("", 2), few("", 2), many("", 2);
  call.attrs.Shapes("shapes", {{2, -1}, {}});
  few.attrs.Shapes("shapes", {{2}});
  many.attrs.Shapes("shapes", {{}, {}, {}});
  EXPECT_EQ(Infer(call, shapes::ExplicitShapes), "[2,?];[]");
  EXPECT_EQ(Infer(few, shapes::ExplicitShapes), "error: There are 1 shapes for 2 outputs");
  EXPECT_EQ(few.failure().subject, "attr:shapes");
  EXPECT_EQ(Infer(many, shapes::ExplicitShapes), "error: There are 3 shapes for 2 outputs");
}

TEST(BiasAddShape, HasTheChannelsLastOrSecond) {
  ExpectShapes(shapes::BiasAddShape, R"(
[2,8,8,3];[3] data_format=NHWC -> [d0_0,d0_1,d0_2,d0_3] | [2,?];[3] -> [d0_0,d1_0]
[2,3];[4] -> error: Dimensions must be equal, got 3 and 4
[3];[3] -> error: Shape must be at least rank 2 but is rank 1: [3]
[2,?,8,8];[3] data_format=NCHW -> [d0_0,d1_0,d0_2,d0_3]
[2,3,8];[?] data_format=NCHW -> [d0_0,d0_1,d0_2]
[2,3];[3] data_format=NCHW -> error: Shape must be at least rank 3 but is rank 2: [2,3]
?;[3] data_format=NHWC -> ? | ?;[3] data_format=NCHW -> ?
?;[3,1] -> error: Shape must be rank 1 but is rank 2: [3,1]
[2,3];? -> [d0_0,d0_1]
[2,3];[3] data_format=1 -> error: Attr 'data_format' is of kind int; the kernel reads it as string
)");
  ExpectShapes(shapes::BiasAddGradShape, R"(
[2,8,3] -> [d0_2]
[3] -> error: Shape must be at least rank 2 but is rank 1: [3]
[2,3,8,8] data_format=NCHW -> [d0_1] | ? -> [?]
)");
}

// For a tensor [5,6,7] and indices of n numbers: one slice of the last 3 - n dimensions for each index.
TEST(GatherNdShape, PutsASliceWhereTheIndexWas) {
  ExpectShapes(shapes::GatherNdShape, R"(
[5,6,7];[4,2] -> [d1_0,d0_2] | [5,6,7];[4,9,1] -> [d1_0,d1_1,d0_1,d0_2] | [5,6];[2] -> []
[5,6];[?,0] -> [d1_0,d0_0,d0_1] | [5,6];[4,?] -> ? | ?;[4,2] -> ? | [5];? -> ?
[5,6];[4,3] -> error: Indices of 3 numbers do not fit a tensor of rank 2: the indices are [4,3], the tensor is [5,6]
[5,6];[9223372036854775807] -> INVALID_ARGUMENT
[5,6];[] -> error: Shape must be at least rank 1 but is rank 0: []
)");
}

TEST(SliceShape, HasTheSizesOrWhatIsLeftForMinusOne) {
  ExpectShapes(shapes::SliceShape, R"(
[5,6];?=<1,2>L;?=<3,4>L -> [3,4] | ?;?=<1,2>L;?=<3,4>L -> [3,4] | [];?=<>L;?=<>L -> []
[5,6];?=<1,2>;?=<-1,4> -> [4,4] | [5,?];?=<0,0>L;?=<-1,-1>L -> [d0_0,d0_1]
[?,6];?=<1,6>L;?=<-1,-1>L -> [?,0] | ?;?=<1>L;?=<-1>L -> [?]
[5];?=<6>L;?=<-1>L -> error: Dimension is negative: 5 - 6
[5,6];?=<1>L;?=<3>L -> error: Shape must be rank 1 but is rank 2: [5,6]
[5];?=<1>L;?=<-2>L -> error: Dimension 0 has size -2, below -1
[5];?=<1>L;?=<-9223372036854775808>L -> error: Dimension 0 has size -9223372036854775808, below -1
[5,6];?=<1>L;?=<3,4>L -> error: Shape must be rank 2 but is rank 1: [1]
[5,6];[2];[3] -> error: Dimension 0 of [2] and [3] must be equal, got 2 and 3
?;[65];[65] -> error: A shape of 65 dimensions; there may be 0 to 64
?;[2];[?] -> [?,?] | [5,6];?;? -> [?,?] | ?;?;? -> ? | [5,6];[2];[2]=[3,?] -> [3,?]
)");
}

TEST(UnsortedSegmentReductionShape, FoldsTheDimensionsThatHaveIds) {
  ExpectShapes(shapes::UnsortedSegmentReductionShapeFn, R"(
[5,6,7];[5];[]=<3> -> [3,d0_1,d0_2] | [5,6,7];[5,6];[]=<3> -> [3,d0_2]
[5,6];[];[]=<3> -> [3,d0_0,d0_1] | ?;[5];[]=<3> -> ? | [5,6];?;[]=<3> -> ?
[5,6];[5];[] -> [?,d0_1]
[5,6];[4];[]=<3> -> error: Dimensions must be equal, got 5 and 4
[5];[5,6];[]=<3> -> error: Shape must be at least rank 2 but is rank 1: [5]
[5];[5];[]=<-3> -> error: A size must be 0 or more, but is -3
[5];[5];[1] -> error: Shape must be rank 0 but is rank 1: [1]
)");
  ExpectShapes(shapes::SegmentReductionWithNumSegmentsShapeFn, "[5,6,7];[5];[]=<3> -> [3,d0_1,d0_2]");
}

// Adding 0 returns the other handle; for two zeros the first input's is kept, as for two equal sizes elsewhere.
TEST(ConcatV2Shape, AddsUpTheSizesAlongTheAxis) {
  ExpectShapes(shapes::ConcatV2Shape, R"(
[2,3];[2,4];[]=<1>L -> [d0_0,7] | [2,3];[2,4];[]=<-1>L -> [d0_0,7]
[2,3];[5,3];[1,3];[]=<0>L -> [8,d0_1] | [2,3,9];[2,4,9];[]=<-2>L -> [d0_0,7,d0_2]
[2,3];[]=<0>L -> [d0_0,d0_1] | [2,?];[2,0];[]=<1>L -> [d0_0,d0_1]
[2,0];[2,?];[]=<1>L -> [d0_0,d1_1] | [0];[0];[]=<0>L -> [d0_0] | [?,3];[2,4];[]=<1>L -> [d1_0,7]
[?,?];[2,4];[]=<1>L -> [d1_0,?] | [2,?];[?,4];[]=<-2> -> [?,d1_1] | ?;[2,4];[]=<1>L -> [d1_0,?] | ?;?;[]=<1>L -> ?
[2,3];[2,4];[] -> [?,?] | ?;[2,4];[] -> [?,?] | ?;?;? -> ?
[2,3];[2];[] -> error: Shape must be rank 2 but is rank 1: [2]
[];[];[] -> error: Scalars cannot be concatenated
[2,3];[5,4];[]=<1>L -> error: All shapes must be the same but for dimension 1, and [2,3] and [5,4] are not
[2,3];[2];[]=<1>L -> error: Shape must be at least rank 2 but is rank 1: [2]
[2,3];[2,4,1];[]=<1>L -> error: All shapes must be the same but for dimension 1, and [2,3] and [2,4,1] are not
[9223372036854775807];[1];[]=<0>L -> error: Dimension overflows: 1 + 9223372036854775807
[2,3];[2,3];[]=<2>L -> error: Shape must be at least rank 3 but is rank 2: [2,3]
[2,3];[2,3];[]=<-3>L -> error: Shape must be at least rank 3 but is rank 2: [2,3]
[];[];[]=<0>L -> error: Shape must be at least rank 1 but is rank 0: []
?;?;[]=<9223372036854775807>L -> error: No tensor has an axis 9223372036854775807
?;?;[]=<-9223372036854775808>L -> error: No tensor has an axis -9223372036854775808
[2];[2];[1] -> error: Shape must be rank 0 but is rank 1: [1]
 -> error: The shape function uses input -1 (counted from 0); the op has 0 inputs
[] -> error: Nothing to concatenate
[2];[3];[]=<-1> -> [5]
[2];[3];[]=<0>f -> error: Sizes and positions must be int32 or int64, but are float32
)");
}

TEST(ConcatShape, HasTheAxisFirst) {
  const auto concat = [](int count) {
    return Infer("[]=<1>;[2,3];[2,4]", [=](InferenceContext* c) { return shapes::ConcatShape(c, count); });
  };
  EXPECT_EQ(concat(2), "[d1_0,7]");
  EXPECT_EQ(concat(1), "[d1_0,d1_1]");
  EXPECT_EQ(concat(0), "error: Nothing to concatenate");
  EXPECT_EQ(concat(3), "error: The shape function uses input 3 (counted from 0); the op has 3 inputs");
  EXPECT_EQ(concat(std::numeric_limits<int>::max()),
            "error: The shape function uses input 2147483647 (counted from 0); the op has 3 inputs");
}

TEST(ReductionShape, LeavesOutTheAxesOrKeepsThemAsOnes) {
  ExpectShapes(shapes::ReductionShape, R"(
[2,?,4];?=<0,-1>L -> [d0_1] | [2,?,4];[]=<1>L -> [d0_0,d0_2] | [2,3];?=<>L -> [d0_0,d0_1]
[2,3];?=<1,1,-1>L -> [d0_0] | [];?=<>L -> [] | [2,?,4];?=<0,-1>L keep_dims=true -> [1,d0_1,1]
[1];?=<0>L keep_dims=true -> [1] | [2,3];[1] keep_dims=true -> [?,?] | [2,3];[1] -> ?
[2,?,4];?=<0,-1> -> [d0_1] | [2,?,4];[]=<1>L keep_dims=true -> [d0_0,1,d0_2]
?;[1] keep_dims=true -> ? | ?;?=<7>L keep_dims=true -> ?
[2];[1,1] keep_dims=true -> error: Shape must be at most rank 1 but is rank 2: [1,1]
[2,3];?=<2>L -> error: A tensor of rank 2 has no axis 2
[2,3];?=<0,-3>L -> error: A tensor of rank 2 has no axis -3
[2,3];?=<9223372036854775807>L -> error: A tensor of rank 2 has no axis 9223372036854775807
[2,3];?=<-9223372036854775808>L keep_dims=true -> error: A tensor of rank 2 has no axis -9223372036854775808
[];[]=<0>L -> error: A tensor of rank 0 has no axis 0
[2];[]=<0>f -> error: Axes must be int32 or int64, but are float32
)",
               "keep_dims=false");
}

TEST(Broadcast, AlignsTheLastDimensions) {
  ExpectShapes(shapes::BroadcastBinaryOpShapeFn, R"(
[4,1];[3] -> [d0_0,d1_0] | [];[2,3] -> [d1_0,d1_1] | [1];[1] -> [d1_0] | [0];[1] -> [d0_0]
[2];[] -> [d0_0] | [];[] -> [] | ?;[2] -> ? | [2];? -> ? | [?];[3] -> [d1_0] | [?];[1] -> [d0_0]
[?];[0] -> [?] | [?];[?] -> [?]
[2,4];[3,1] -> error: Shapes [2,4] and [3,1] cannot be broadcast together: dimension -2 is 2 and 3
)");
}

// If both sides have the same handle, they are equal, so the result is that dimension.
TEST(Broadcast, OfOneUnknownDimensionWithItselfIsThatDimension) {
  EXPECT_EQ(InferShape("[?]",
                       [](InferenceContext* c, ShapeHandle* out) {
                         return shapes::BroadcastBinaryOpOutputShapeFnHelper(c, c->input(0), c->input(0), out);
                       }),
            "[d0_0]");
}

TEST(Broadcast, MayHaveAnAnswerForShapesThatDoNotFit) {
  const auto broadcast = [](bool must_fit) {
    return ShapeOf([=](InferenceContext* c, ShapeHandle* out) {
      return shapes::BroadcastBinaryOpOutputShapeFnHelper(c, c->input(0), c->input(1), must_fit, out);
    });
  };
  ExpectShapes(broadcast(false), R"(
[4,1];[3] -> [d0_0,d1_0] | [2];[3] -> ? | [?];[3] -> ? | [3];[?] -> ? | ?;[3] -> ?
)");
  ExpectShapes(broadcast(true), R"(
[2];[3] -> error: Shapes [2] and [3] cannot be broadcast together: dimension -1 is 2 and 3
)");
}

TEST(MatMulShape, TakesTheOuterDimensions) {
  ExpectShapes(shapes::MatMulShape, R"(
[2,3];[3,5] -> [d0_0,d1_1] | [3,2];[5,3] transpose_a=true transpose_b=true -> [d0_1,d1_0]
?;[3,5] -> [?,d1_1]
[2,3];[4,5] -> error: Dimensions must be equal, got 3 and 4
[2,3,1];[3,5] -> error: Shape must be rank 2 but is rank 3: [2,3,1]
)",
               "transpose_a=false transpose_b=false");
  ExpectShapes(shapes::MatMulShape, "[2,3];[3,5] -> error: The op has no attr 'transpose_a' (it has: none)");
}

TEST(BatchMatMulShape, MultipliesTheLastTwoDimensions) {
  ExpectShapes(shapes::BatchMatMulShape, R"(
[7,2,3];[7,3,5] -> [d0_0,d0_1,d1_2] | [7,3,2];[7,5,3] adj_x=true adj_y=true -> [d0_0,d0_2,d1_1]
[2,3];[3,5] -> [d0_0,d1_1]
[7,2,3];[7,4,5] -> error: Dimensions must be equal, got 3 and 4
[?,2,3];[7,3,5] -> [d1_0,d0_1,d1_2]
[1,2,3];[7,3,5] -> error: Dimension 0 of [1] and [7] must be equal, got 1 and 7
[2,3];[7,3,5] -> error: Shapes must have the same rank, but [] and [7] have 0 and 1
?;[7,3,5] -> [d1_0,?,d1_2] | ?;? -> ?
[3];[7,3,5] -> error: Shape must be at least rank 2 but is rank 1: [3]
)",
               "adj_x=false adj_y=false");
  ExpectShapes(shapes::BatchMatMulV2Shape, R"(
[1,2,3];[7,3,5] -> [d1_0,d0_1,d1_2] | [2,3];[7,3,5] -> [d1_0,d0_0,d1_2]
[4,1,2,3];[7,5,3] adj_y=true -> [d0_0,d1_0,d0_2,d1_1] | [?,2,3];[1,3,5] -> [d0_0,d0_1,d1_2]
[?,2,3];[?,3,5] -> [?,d0_1,d1_2] | ?;[7,3,5] -> ?
[2,2,3];[7,3,5] -> error: Shapes [2] and [7] cannot be broadcast together: dimension -1 is 2 and 7
[7,2,3];[7,4,5] -> error: Dimensions must be equal, got 3 and 4
)",
               "adj_x=false adj_y=false");
}

opsrun::ReturnedStatus ValidateSparse(InferenceContext* c) {
  return shapes::ValidateSparseTensor(c, c->input(0), c->input(1), c->input(2));
}

TEST(ValidateSparseTensor, NeedsThreeShapesThatFit) {
  ExpectShapes(ValidateSparse, R"(
[5,2];[5];[2] -> ? | ?;[?];? -> ? | [5,2];[4];[2] -> INVALID_ARGUMENT
[5,2];[5];[3] -> INVALID_ARGUMENT | [5];[5];[2] -> INVALID_ARGUMENT
)");
  TestShapeCall call("[?,2];[?];[2]");
  Infer(call, ValidateSparse);
  EXPECT_EQ(call.equated().size(), 1u);
}

TEST(SparseReduceShape, LeavesOutAxes) {
  ExpectShapes(shapes::SparseReduceShapeFn, R"(
?;?;[?]=<2,3,4>L;[?]=<0,-1> -> [3] | ?;?;[?]=<2,3,4>L;[?]=<0,-1> keep_dims=true -> [1,3,1]
?;?;[?]=<2,3>L;[?]=<> -> [2,3] | ?;?;[?]=<2,3>L;[?]=<2> -> INVALID_ARGUMENT
?;?;[?]=<>L;[?]=<> -> INVALID_ARGUMENT
)",
               "keep_dims=false");
  TestShapeCall call("?;?;[2];[1] keep_dims=false");
  EXPECT_EQ(Infer(call, shapes::SparseReduceShapeFn), "?");
  EXPECT_EQ(call.wanted(), (std::set<uint32_t>{2, 3}));
}

TEST(ScatterNdShapeHelper, NeedsASliceForEachIndex) {
  const auto scatter = [](InferenceContext* c) -> opsrun::ReturnedStatus {
    return shapes::ScatterNdShapeHelper(c, c->input(0), c->input(1), c->input(2));
  };
  ExpectShapes(scatter, R"(
[5,1];[5,7];[9,7] -> in2 | [5,2];[5];[9,7] -> in2 | [5,?];?;[9,7] -> in2
[5,1];[5,7];[9,7] outputs=0 -> | [5,1];[4,7];[9,7] -> INVALID_ARGUMENT
[5,1];[5,6];[9,7] -> INVALID_ARGUMENT | [];[5];[9] -> INVALID_ARGUMENT | [0,1];[0,7];[0,7] -> in2
[5,1];[5,7];[0,7] -> INVALID_ARGUMENT
)");
}

}  // namespace
}  // namespace opsrun_test
