// tests/sdk/shape_dims_test.cc: arithmetic on dimensions that may be unknown, ranks, and merging.
//
// "d0_0" and "d0_1" are the operands' own handles; other numbers and "?" are new dimensions.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sdk/infer.h"

namespace opsrun_test {
namespace {

// Applies the operation to the two dimensions of the shape.
auto Of(Status (InferenceContext::*operation)(DimensionHandle, opsrun::shape_inference::DimensionOrConstant,
                                              DimensionHandle*)) {
  return DimOf([=](InferenceContext* c, DimensionHandle* out) {
    return (c->*operation)(c->Dim(c->input(0), 0), c->Dim(c->input(0), 1), out);
  });
}

TEST(DimArithmetic, KeepsHandlesAndRefusesWhatCannotBe) {
  ExpectShapes(Of(&InferenceContext::Add), R"(
[2,3] -> [5] | [0,?] -> [d0_1] | [?,0] -> [d0_0] | [?,1] -> [?] | [9223372036854775806,1] -> [9223372036854775807]
[9223372036854775807,1] -> error: Dimension overflows: 9223372036854775807 + 1
[9223372036854775807,9223372036854775807] -> error: Dimension overflows: 9223372036854775807 + 9223372036854775807
)");
  ExpectShapes(Of(&InferenceContext::Subtract), R"(
[5,3] -> [2] | [?,0] -> [d0_0] | [3,?] -> [?] | [9223372036854775807,9223372036854775807] -> [0]
[3,5] -> error: Dimension is negative: 3 - 5
)");
  ExpectShapes(Of(&InferenceContext::Multiply), R"(
[6,7] -> [42] | [0,?] -> [d0_0] | [?,0] -> [d0_1] | [1,?] -> [d0_1] | [?,1] -> [d0_0] | [?,2] -> [?]
[4611686018427387904,2] -> error: Dimension overflows: 4611686018427387904 * 2
[4294967296,4294967296] -> error: Dimension overflows: 4294967296 * 4294967296
[9223372036854775807,2] -> error: Dimension overflows: 9223372036854775807 * 2
)");
  ExpectShapes(Of(&InferenceContext::Min), R"(
[2,3] -> [d0_0] | [3,2] -> [d0_1] | [?,0] -> [d0_1] | [0,?] -> [d0_0] | [?,1] -> [?]
)");
  ExpectShapes(Of(&InferenceContext::Max), "[2,3] -> [d0_1] | [3,3] -> [d0_0] | [0,?] -> [d0_1] | [1,?] -> [?]");
}

TEST(Divide, RoundsDownOrRefusesARemainder) {
  const auto divide = [](bool evenly) {
    return DimOf([=](InferenceContext* c, DimensionHandle* out) {
      return c->Divide(c->Dim(c->input(0), 0), c->Dim(c->input(0), 1), evenly, out);
    });
  };
  ExpectShapes(divide(false), "[7,2] -> [3]");
  ExpectShapes(divide(true), R"(
[?,1] -> [d0_0] | [6,3] -> [2] | [9223372036854775807,9223372036854775807] -> [1]
[7,2] -> error: A dimension of 7 must be a multiple of 2
[?,0] -> [?] | [7,?] -> [?]
[7,0] -> error: A dimension of 7 is divided by 0; the divisor must be above 0
)");
}

TEST(DimArithmetic, TakesConstants) {
  const auto plus_5 = [](InferenceContext* c, DimensionHandle* out) { return c->Add(c->Dim(c->input(0), 0), 5, out); };
  ExpectShapes(DimOf(plus_5), "[2] -> [7] | [?] -> [?] | [0] -> [5]");
}

TEST(DimArithmetic, AsksTheHostOnlyWhatIsUnknown) {
  TestShapeCall known("[2,3]"), neutral("[0,?]"), unknown("[2,?]");
  for (TestShapeCall* call : {&known, &neutral, &unknown}) Infer(*call, Of(&InferenceContext::Add));
  EXPECT_TRUE(known.dim_ops().empty());
  EXPECT_TRUE(neutral.dim_ops().empty());
  EXPECT_EQ(unknown.dim_ops(), std::vector<uint32_t>{OPSRUN_DIM_ADD});
}

TEST(DimArithmetic, NeverAsksTheHostToDivideByZero) {
  TestShapeCall call("[?]");
  EXPECT_EQ(InferDim(call, [](InferenceContext* c,
                              DimensionHandle* out) { return c->Divide(c->Dim(c->input(0), 0), 0, true, out); }),
            "?");
  EXPECT_TRUE(call.dim_ops().empty());
}

TEST(DimArithmetic, BlamesTheInputThatTheDimensionCameFrom) {
  TestShapeCall call("[3,5]");
  call.InArg("values", 1);
  Infer(call, Of(&InferenceContext::Subtract));
  EXPECT_EQ(call.failure().subject, "input:values");
}

TEST(NumElements, IsZeroBesideAnything) {
  const auto count = [](InferenceContext* c, DimensionHandle* out) {
    *out = c->NumElements(c->input(0));
    return Status::OK();
  };
  ExpectShapes(DimOf(count), R"(
[2,3] -> [6] | [] -> [1] | [?,0,3] -> [0] | [?,3] -> [?] | ? -> [?]
[4294967296,4294967296] -> error: Shape [4294967296,4294967296] has more elements than an int64 can count
[4294967296,4294967296,?] -> [?] | [4294967296,4294967296,0] -> [0]
)");
}

// Of two equal dimensions, the first is returned, and its handle shows where it is from.
TEST(MinAndMax, KeepTheDimensionThatTheyGive) {
  const auto min = [](InferenceContext* c, DimensionHandle* out) {
    return c->Min(c->Dim(c->input(0), 0), c->Dim(c->input(1), 0), out);
  };
  const auto max = [](InferenceContext* c, DimensionHandle* out) {
    return c->Max(c->Dim(c->input(0), 0), c->Dim(c->input(1), 0), out);
  };
  const char* const kCases[][3] = {{"[4];[4]", "d0_0", "d0_0"}, {"[4];[5]", "d0_0", "d1_0"},
                                   {"[5];[4]", "d1_0", "d0_0"}, {"[0];[?]", "d0_0", "d1_0"},
                                   {"[?];[0]", "d1_0", "d0_0"}, {"[0];[0]", "d0_0", "d0_0"}};
  for (const auto& [inputs, least, most] : kCases) {
    EXPECT_EQ(InferDim(inputs, min), least) << inputs;
    EXPECT_EQ(InferDim(inputs, max), most) << inputs;
  }
}

TEST(WithRank, GivesTheShapeItselfIfItHasTheRank) {
  const auto of_rank = [](int64_t rank) {
    return ShapeOf([=](InferenceContext* c, ShapeHandle* out) { return c->WithRank(c->input(0), rank, out); });
  };
  ExpectShapes(of_rank(2), "[2,?] -> in0 | ? -> [?,?]");
  ExpectShapes(of_rank(-1), "? -> in0");
  ExpectShapes(of_rank(65), "? -> error: A shape of 65 dimensions; there may be 0 to 64");
  ExpectShapes(of_rank(int64_t{1} << 40), "? -> error: A shape of 1099511627776 dimensions; there may be 0 to 64");
}

TEST(WithRank, SaysWhatIsFoundAndBlamesTheInput) {
  TestShapeCall call("[1];[2,3]");
  EXPECT_EQ(InferShape(call, [](InferenceContext* c, ShapeHandle* out) { return c->WithRank(c->input(1), 3, out); }),
            "error: Shape must be rank 3 but is rank 2: [2,3]");
  EXPECT_EQ(call.failure().code, OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(call.failure().subject, "input:in1");
}

TEST(WithRankBounds, LetAnUnknownShapePass) {
  const auto at_least = [](InferenceContext* c, ShapeHandle* out) { return c->WithRankAtLeast(c->input(0), 2, out); };
  const auto at_most = [](int64_t rank) {
    return ShapeOf([=](InferenceContext* c, ShapeHandle* out) { return c->WithRankAtMost(c->input(0), rank, out); });
  };
  ExpectShapes(ShapeOf(at_least), R"(
? -> in0 | [1,2,3] -> in0
[?] -> error: Shape must be at least rank 2 but is rank 1: [?]
)");
  ExpectShapes(at_most(1), R"(
? -> in0 | [] -> in0
[1,2] -> error: Shape must be at most rank 1 but is rank 2: [1,2]
)");
  ExpectShapes(at_most(int64_t{1} << 31), "? -> error: A shape cannot have rank 2147483648");
}

TEST(WithValue, TellsTheHostWhatAnUnknownDimensionIs) {
  TestShapeCall call("[?]");
  EXPECT_EQ(InferDim(call, [](InferenceContext* c,
                              DimensionHandle* out) { return c->WithValue(c->Dim(c->input(0), 0), 4, out); }),
            "4");
  EXPECT_EQ(call.equated(), std::vector<std::string>{"d0_0=4"});
}

TEST(WithValue, RefusesAnotherValue) {
  const auto is_4 = [](InferenceContext* c, DimensionHandle* out) {
    return c->WithValue(c->Dim(c->input(0), 0), 4, out);
  };
  ExpectShapes(DimOf(is_4), R"(
[4] -> [d0_0]
[5] -> error: Dimension must be 4 but is 5
)");
}

TEST(MergeOfDimensions, PrefersTheKnownOneThenTheFirst) {
  const auto merge = [](InferenceContext* c, DimensionHandle* out) {
    return c->Merge(c->Dim(c->input(0), 0), c->Dim(c->input(1), 0), out);
  };
  ExpectShapes(DimOf(merge), R"(
[?];[5] -> [d1_0] | [5];[?] -> [d0_0] | [5];[5] -> [d0_0] | [?];[?] -> [d0_0]
[5];[6] -> error: Dimensions must be equal, got 5 and 6
)");
}

TEST(MergeOfShapes, GivesTheOneThatKnowsAllOrNamesTheDimensionThatDiffers) {
  const auto merge =
      ShapeOf([](InferenceContext* c, ShapeHandle* out) { return c->Merge(c->input(0), c->input(1), out); });
  ExpectShapes(merge, R"(
?;[2] -> in1 | [2];? -> in0 | ?;? -> in0 | [4,2];[?,2] -> in0 | [?,?];[4,?] -> in1
[?,3];[2,?] -> [d1_0,d0_1]
[2];[2,2] -> error: Shapes must have the same rank, but [2] and [2,2] have 1 and 2
[?,3];[2,4] -> error: Dimension 1 of [?,3] and [2,4] must be equal, got 3 and 4
)");
  // Every pair is reported to the host, but only if all agree.
  TestShapeCall agree("[?,3,?];[2,3,?]"), differ("[?,3];[2,4]");
  EXPECT_EQ(Infer(agree, merge), "in1");
  EXPECT_EQ(agree.equated().size(), 2u);
  Infer(differ, merge);
  EXPECT_TRUE(differ.equated().empty());
}

TEST(MergePrefix, MergesTheLeadingDimensions) {
  const auto merged = [](bool prefix) {
    return ShapeOf([=](InferenceContext* c, ShapeHandle* out) {
      ShapeHandle other;
      return prefix ? c->MergePrefix(c->input(0), c->input(1), &other, out)
                    : c->MergePrefix(c->input(0), c->input(1), out, &other);
    });
  };
  ExpectShapes(merged(false), R"(
[2,?,7];[?,5] -> [d0_0,d1_1,d0_2] | ?;[2] -> in0
[2];[2,3] -> error: Shape must be at least rank 2 but is rank 1: [2]
)");
  ExpectShapes(merged(true), R"(
[2,?,7];[?,5] -> [d0_0,d1_1] | ?;[2] -> in1
[2,3];[4] -> error: Dimensions must be equal, got 2 and 4
)");
}

}  // namespace
}  // namespace opsrun_test
