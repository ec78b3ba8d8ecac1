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
  EXPECT_EQ(Infer("[1]", [](InferenceContext* c) { return shapes::UnchangedShapeWithRankAtMost(c, 0); }),
            "error: Shape must be at most rank 0 but is rank 1: [1]");
  EXPECT_EQ(Infer("?", [](InferenceContext* c) { return shapes::UnchangedShapeWithRankAtLeast(c, 2); }), "in0");
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
            "error: Dimension 0 of [2] and [3] must be equal, got 2 and 3");
}

std::string Random(const std::string& input, const std::vector<int32_t>& value) {
  FakeHost host;
  FakeShapeCall call(host, input);
  call.Value<int32_t>(0, {static_cast<int64_t>(value.size())}, value);
  return Infer(call, shapes::RandomShape);
}

TEST(RandomShape, IsWhatInputZeroSpells) {
  EXPECT_EQ(Random("[2]", {4, -1}), "[4,?]");
  EXPECT_EQ(Random("[0]", {}), "[]");
  EXPECT_EQ(Infer("[3]", shapes::RandomShape), "[?,?,?]");
  EXPECT_EQ(Infer("?", shapes::RandomShape), "?");
}

TEST(RandomShape, RefusesWhatSpellsNone) {
  EXPECT_EQ(Random("[2]", {4, -2}), "error: Dimension 1 has size -2, below -1");
  EXPECT_EQ(Infer("[]", shapes::RandomShape), "error: Shape must be rank 1 but is rank 0: []");
  EXPECT_EQ(Infer("[33]", shapes::RandomShape), "error: A shape of 33 dimensions; there may be 0 to 32");
}

TEST(ExplicitShape, IsTheAttr) {
  FakeHost host;
  FakeShapeCall call(host, ""), unknown(host, ""), none(host, "");
  call.attrs.Shape("shape", {2, -1});
  unknown.attrs.UnknownShape("shape");
  EXPECT_EQ(Infer(call, shapes::ExplicitShape), "[2,?]");
  EXPECT_EQ(Infer(unknown, shapes::ExplicitShape), "?");
  EXPECT_EQ(Infer(none, shapes::ExplicitShape), "error: The op has no attr 'shape' (it has: none)");
}

TEST(ExplicitShapes, AreAsManyAsTheOutputs) {
  FakeHost host;
  FakeShapeCall call(host, "", 2), few(host, "", 2), many(host, "", 2);
  call.attrs.Shapes("shapes", {{2, -1}, {}});
  few.attrs.Shapes("shapes", {{2}});
  many.attrs.Shapes("shapes", {{}, {}, {}});
  EXPECT_EQ(Infer(call, shapes::ExplicitShapes), "[2,?];[]");
  EXPECT_EQ(Infer(few, shapes::ExplicitShapes), "error: There are 1 shapes for 2 outputs");
  EXPECT_EQ(few.failure().subject, "attr:shapes");
  EXPECT_EQ(Infer(many, shapes::ExplicitShapes), "error: There are 3 shapes for 2 outputs");
}

TEST(CommonShapeFns, FailForAnOpOfOtherInputsAndOutputs) {
  FakeHost host;
  FakeShapeCall no_outputs(host, "[1]", 0);
  EXPECT_EQ(Infer("", shapes::UnchangedShape),
            "error: The shape function uses input 0 (counted from 0); the op has 0 inputs");
  EXPECT_EQ(Infer("[1]", shapes::MergeBothInputsShapeFn),
            "error: The shape function uses input 1 (counted from 0); the op has 1 input");
  EXPECT_EQ(Infer(no_outputs, shapes::ScalarShape),
            "error: The shape function uses output 0 (counted from 0); the op has 0 outputs");
}

}  // namespace
}  // namespace opsrun_test
