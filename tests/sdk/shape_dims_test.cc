// tests/sdk/shape_dims_test.cc: arithmetic on dimensions that may be unknown.
//
// "d0_0" and "d0_1" are the operands' own handles; other numbers and "?" are new dimensions.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sdk/infer.h"

namespace opsrun_test {
namespace {

typedef Status (InferenceContext::*Operation)(DimensionHandle, opsrun::shape_inference::DimensionOrConstant,
                                              DimensionHandle*);

// Of the two dimensions of the shape.
std::string Compute(FakeShapeCall& call, Operation operation) {
  return InferDim(call, [=](InferenceContext* c, DimensionHandle* out) {
    return (c->*operation)(c->Dim(c->input(0), 0), c->Dim(c->input(0), 1), out);
  });
}

std::string Compute(const std::string& operands, Operation operation) {
  FakeHost host;
  FakeShapeCall call(host, operands);
  return Compute(call, operation);
}

std::string Divide(const std::string& operands, bool evenly) {
  return InferDim(operands, [=](InferenceContext* c, DimensionHandle* out) {
    return c->Divide(c->Dim(c->input(0), 0), c->Dim(c->input(0), 1), evenly, out);
  });
}

TEST(Add, OfZeroIsTheOtherHandle) {
  EXPECT_EQ(Compute("[2,3]", &InferenceContext::Add), "5");
  EXPECT_EQ(Compute("[0,?]", &InferenceContext::Add), "d0_1");
  EXPECT_EQ(Compute("[?,0]", &InferenceContext::Add), "d0_0");
  EXPECT_EQ(Compute("[?,1]", &InferenceContext::Add), "?");
  EXPECT_EQ(Compute("[9223372036854775807,1]", &InferenceContext::Add),
            "error: Dimension overflows: 9223372036854775807 + 1");
}

TEST(Subtract, RefusesANegativeResult) {
  EXPECT_EQ(Compute("[5,3]", &InferenceContext::Subtract), "2");
  EXPECT_EQ(Compute("[?,0]", &InferenceContext::Subtract), "d0_0");
  EXPECT_EQ(Compute("[3,?]", &InferenceContext::Subtract), "?");
  EXPECT_EQ(Compute("[3,5]", &InferenceContext::Subtract), "error: Dimension is negative: 3 - 5");
}

TEST(Multiply, ByZeroIsZeroAndByOneTheOtherHandle) {
  EXPECT_EQ(Compute("[6,7]", &InferenceContext::Multiply), "42");
  EXPECT_EQ(Compute("[0,?]", &InferenceContext::Multiply), "d0_0");
  EXPECT_EQ(Compute("[?,0]", &InferenceContext::Multiply), "d0_1");
  EXPECT_EQ(Compute("[1,?]", &InferenceContext::Multiply), "d0_1");
  EXPECT_EQ(Compute("[?,1]", &InferenceContext::Multiply), "d0_0");
  EXPECT_EQ(Compute("[?,2]", &InferenceContext::Multiply), "?");
}

TEST(Multiply, RefusesEveryOverflow) {
  EXPECT_EQ(Compute("[4611686018427387904,2]", &InferenceContext::Multiply),
            "error: Dimension overflows: 4611686018427387904 * 2");
  EXPECT_EQ(Compute("[4294967296,4294967296]", &InferenceContext::Multiply),
            "error: Dimension overflows: 4294967296 * 4294967296");
}

TEST(Divide, RoundsDownOrRefusesARemainder) {
  EXPECT_EQ(Divide("[7,2]", false), "3");
  EXPECT_EQ(Divide("[?,1]", true), "d0_0");
  EXPECT_EQ(Divide("[6,3]", true), "2");
  EXPECT_EQ(Divide("[7,2]", true), "error: A dimension of 7 must be a multiple of 2");
}

TEST(Divide, ByZeroFailsOnceTheDividendIsKnown) {
  EXPECT_EQ(Divide("[?,0]", true), "?");
  EXPECT_EQ(Divide("[7,?]", true), "?");
  EXPECT_EQ(Divide("[7,0]", true), "error: A dimension of 7 is divided by 0; the divisor must be above 0");
}

TEST(Min, IsZeroIfEitherIsZero) {
  EXPECT_EQ(Compute("[2,3]", &InferenceContext::Min), "d0_0");
  EXPECT_EQ(Compute("[3,2]", &InferenceContext::Min), "d0_1");
  EXPECT_EQ(Compute("[?,0]", &InferenceContext::Min), "d0_1");
  EXPECT_EQ(Compute("[0,?]", &InferenceContext::Min), "d0_0");
  EXPECT_EQ(Compute("[?,1]", &InferenceContext::Min), "?");
}

TEST(Max, IsUnknownIfEitherIs) {
  EXPECT_EQ(Compute("[2,3]", &InferenceContext::Max), "d0_1");
  EXPECT_EQ(Compute("[3,3]", &InferenceContext::Max), "d0_0");
  EXPECT_EQ(Compute("[0,?]", &InferenceContext::Max), "?");
}

TEST(DimArithmetic, TakesConstants) {
  const auto plus_5 = [](InferenceContext* c, DimensionHandle* out) { return c->Add(c->Dim(c->input(0), 0), 5, out); };
  EXPECT_EQ(InferDim("[2]", plus_5), "7");
  EXPECT_EQ(InferDim("[?]", plus_5), "?");
  EXPECT_EQ(InferDim("[0]", plus_5), "5");
}

TEST(DimArithmetic, AsksTheHostOnlyWhatIsUnknown) {
  FakeHost host;
  FakeShapeCall known(host, "[2,3]"), neutral(host, "[0,?]"), unknown(host, "[2,?]");
  for (FakeShapeCall* call : {&known, &neutral, &unknown}) Compute(*call, &InferenceContext::Add);
  EXPECT_TRUE(known.dim_ops().empty());
  EXPECT_TRUE(neutral.dim_ops().empty());
  EXPECT_EQ(unknown.dim_ops(), std::vector<uint32_t>{OPSRUN_DIM_ADD});
}

TEST(DimArithmetic, NeverAsksTheHostToDivideByZero) {
  FakeHost host;
  FakeShapeCall call(host, "[?]");
  EXPECT_EQ(InferDim(call, [](InferenceContext* c,
                              DimensionHandle* out) { return c->Divide(c->Dim(c->input(0), 0), 0, true, out); }),
            "?");
  EXPECT_TRUE(call.dim_ops().empty());
}

TEST(DimArithmetic, BlamesTheInputThatTheDimensionCameFrom) {
  FakeHost host;
  FakeShapeCall call(host, "[3,5]");
  call.InArg("values", 1);
  Compute(call, &InferenceContext::Subtract);
  EXPECT_EQ(call.failure().subject, "input:values");
}

std::string Elements(const std::string& shape) {
  return InferDim(shape, [](InferenceContext* c, DimensionHandle* out) {
    *out = c->NumElements(c->input(0));
    return Status::OK();
  });
}

TEST(NumElements, IsZeroBesideAnything) {
  EXPECT_EQ(Elements("[2,3]"), "6");
  EXPECT_EQ(Elements("[]"), "1");
  EXPECT_EQ(Elements("[?,0,3]"), "0");
  EXPECT_EQ(Elements("[?,3]"), "?");
  EXPECT_EQ(Elements("?"), "?");
}

TEST(NumElements, FailsOnlyIfNothingCanSaveItFromOverflow) {
  EXPECT_EQ(Elements("[4294967296,4294967296]"),
            "error: Shape [4294967296,4294967296] has more elements than an int64 can count");
  EXPECT_EQ(Elements("[4294967296,4294967296,?]"), "?");
  EXPECT_EQ(Elements("[4294967296,4294967296,0]"), "0");
}

// Of two that are equal, the first is as good as the second, and says where it is from.
TEST(MinAndMax, KeepTheDimensionThatTheyGive) {
  const auto min = [](InferenceContext* c, DimensionHandle* out) {
    return c->Min(c->Dim(c->input(0), 0), c->Dim(c->input(1), 0), out);
  };
  const auto max = [](InferenceContext* c, DimensionHandle* out) {
    return c->Max(c->Dim(c->input(0), 0), c->Dim(c->input(1), 0), out);
  };
  const char* const kCases[][3] = {{"[4];[4]", "d0_0", "d0_0"}, {"[4];[5]", "d0_0", "d1_0"},
                                   {"[5];[4]", "d1_0", "d0_0"}, {"[0];[?]", "d0_0", "?"},
                                   {"[?];[0]", "d1_0", "?"},    {"[0];[0]", "d0_0", "d0_0"}};
  for (const auto& [inputs, least, most] : kCases) {
    EXPECT_EQ(InferDim(inputs, min), least) << inputs;
    EXPECT_EQ(InferDim(inputs, max), most) << inputs;
  }
}

TEST(WithRank, GivesTheShapeItselfIfItHasTheRank) {
  EXPECT_EQ(InferShape("[2,?]", [](InferenceContext* c, ShapeHandle* out) { return c->WithRank(c->input(0), 2, out); }),
            "in0");
}

TEST(WithRank, MakesUnknownDimensionsOfAnUnknownShape) {
  EXPECT_EQ(InferShape("?", [](InferenceContext* c, ShapeHandle* out) { return c->WithRank(c->input(0), 2, out); }),
            "[?,?]");
}

TEST(WithRank, SaysWhatIsFoundAndBlamesTheInput) {
  FakeHost host;
  FakeShapeCall call(host, "[1];[2,3]");
  EXPECT_EQ(InferShape(call, [](InferenceContext* c, ShapeHandle* out) { return c->WithRank(c->input(1), 3, out); }),
            "error: Shape must be rank 3 but is rank 2: [2,3]");
  EXPECT_EQ(call.failure().code, OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(call.failure().subject, "input:in1");
}

TEST(WithRank, RefusesARankThatNoTensorHas) {
  const auto of_rank = [](int64_t rank) {
    return InferShape("?", [=](InferenceContext* c, ShapeHandle* out) { return c->WithRank(c->input(0), rank, out); });
  };
  EXPECT_EQ(of_rank(-1), "in0");
  EXPECT_EQ(of_rank(33), "error: A shape of 33 dimensions; there may be 0 to 32");
  EXPECT_EQ(of_rank(int64_t{1} << 40), "error: A shape of 1099511627776 dimensions; there may be 0 to 32");
}

TEST(WithRankAtLeast, LetsAnUnknownShapePass) {
  const auto at_least_2 = [](InferenceContext* c, ShapeHandle* out) { return c->WithRankAtLeast(c->input(0), 2, out); };
  EXPECT_EQ(InferShape("?", at_least_2), "in0");
  EXPECT_EQ(InferShape("[1,2,3]", at_least_2), "in0");
  EXPECT_EQ(InferShape("[?]", at_least_2), "error: Shape must be at least rank 2 but is rank 1: [?]");
}

TEST(WithRankAtMost, LetsAnUnknownShapePass) {
  const auto at_most_1 = [](InferenceContext* c, ShapeHandle* out) { return c->WithRankAtMost(c->input(0), 1, out); };
  EXPECT_EQ(InferShape("?", at_most_1), "in0");
  EXPECT_EQ(InferShape("[]", at_most_1), "in0");
  EXPECT_EQ(InferShape("[1,2]", at_most_1), "error: Shape must be at most rank 1 but is rank 2: [1,2]");
}

TEST(WithRankBounds, RefuseWhatIsNoRankAtAll) {
  EXPECT_EQ(InferShape("?", [](InferenceContext* c,
                               ShapeHandle* out) { return c->WithRankAtMost(c->input(0), int64_t{1} << 31, out); }),
            "error: No shape has rank 2147483648");
}

TEST(WithValue, TellsTheHostWhatAnUnknownDimensionIs) {
  FakeHost host;
  FakeShapeCall call(host, "[?]");
  EXPECT_EQ(InferDim(call, [](InferenceContext* c,
                              DimensionHandle* out) { return c->WithValue(c->Dim(c->input(0), 0), 4, out); }),
            "4");
  ASSERT_EQ(call.equated().size(), 1u);
  EXPECT_EQ(call.equated()[0].first, call.Input(0)->dims[0]);
  EXPECT_EQ(call.equated()[0].second->value, 4);
}

TEST(WithValue, RefusesAnotherValue) {
  const auto is_4 = [](InferenceContext* c, DimensionHandle* out) {
    return c->WithValue(c->Dim(c->input(0), 0), 4, out);
  };
  EXPECT_EQ(InferDim("[4]", is_4), "d0_0");
  EXPECT_EQ(InferDim("[5]", is_4), "error: Dimension must be 4 but is 5");
}

std::string MergeDims(const std::string& inputs) {
  return InferDim(inputs, [](InferenceContext* c, DimensionHandle* out) {
    return c->Merge(c->Dim(c->input(0), 0), c->Dim(c->input(1), 0), out);
  });
}

TEST(MergeOfDimensions, PrefersTheKnownOneThenTheFirst) {
  EXPECT_EQ(MergeDims("[?];[5]"), "d1_0");
  EXPECT_EQ(MergeDims("[5];[?]"), "d0_0");
  EXPECT_EQ(MergeDims("[5];[5]"), "d0_0");
  EXPECT_EQ(MergeDims("[?];[?]"), "d0_0");
  EXPECT_EQ(MergeDims("[5];[6]"), "error: Dimensions must be equal, got 5 and 6");
}

std::string MergeShapes(FakeShapeCall& call) {
  return InferShape(call,
                    [](InferenceContext* c, ShapeHandle* out) { return c->Merge(c->input(0), c->input(1), out); });
}

std::string MergeShapes(const std::string& inputs) {
  FakeHost host;
  FakeShapeCall call(host, inputs);
  return MergeShapes(call);
}

TEST(MergeOfShapes, GivesTheOneThatKnowsAll) {
  EXPECT_EQ(MergeShapes("?;[2]"), "in1");
  EXPECT_EQ(MergeShapes("[2];?"), "in0");
  EXPECT_EQ(MergeShapes("?;?"), "in0");
  EXPECT_EQ(MergeShapes("[4,2];[?,2]"), "in0");
  EXPECT_EQ(MergeShapes("[?,?];[4,?]"), "in1");
  EXPECT_EQ(MergeShapes("[?,3];[2,?]"), "[d1_0,d0_1]");
}

TEST(MergeOfShapes, NamesTheDimensionThatDiffers) {
  EXPECT_EQ(MergeShapes("[2];[2,2]"), "error: Shapes must have the same rank, but [2] and [2,2] have 1 and 2");
  EXPECT_EQ(MergeShapes("[?,3];[2,4]"), "error: Dimension 1 of [?,3] and [2,4] must be equal, got 3 and 4");
}

TEST(MergeOfShapes, TellsTheHostEveryPairButOnlyIfAllAgree) {
  FakeHost host;
  FakeShapeCall agree(host, "[?,3,?];[2,3,?]"), differ(host, "[?,3];[2,4]");
  EXPECT_EQ(MergeShapes(agree), "in1");
  EXPECT_EQ(agree.equated().size(), 2u);
  MergeShapes(differ);
  EXPECT_TRUE(differ.equated().empty());
}

TEST(MergePrefix, MergesTheLeadingDimensions) {
  const auto merged = [](bool prefix) {
    return [=](InferenceContext* c, ShapeHandle* out) {
      ShapeHandle other;
      return prefix ? c->MergePrefix(c->input(0), c->input(1), &other, out)
                    : c->MergePrefix(c->input(0), c->input(1), out, &other);
    };
  };
  EXPECT_EQ(InferShape("[2,?,7];[?,5]", merged(false)), "[d0_0,d1_1,d0_2]");
  EXPECT_EQ(InferShape("[2,?,7];[?,5]", merged(true)), "[d0_0,d1_1]");
  EXPECT_EQ(InferShape("?;[2]", merged(false)), "in0");
  EXPECT_EQ(InferShape("?;[2]", merged(true)), "in1");
  EXPECT_EQ(InferShape("[2];[2,3]", merged(false)), "error: Shape must be at least rank 2 but is rank 1: [2]");
  EXPECT_EQ(InferShape("[2,3];[4]", merged(true)), "error: Dimensions must be equal, got 2 and 4");
}

}  // namespace

}  // namespace opsrun_test
