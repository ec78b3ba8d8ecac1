// tests/sdk/shape_ranks_test.cc: what shape functions assert, and how they merge.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sdk/infer.h"

namespace opsrun_test {
namespace {

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
