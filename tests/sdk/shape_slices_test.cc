// tests/sdk/shape_slices_test.cc: shapes that shape functions make from parts and from nothing.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sdk/infer.h"

namespace opsrun_test {
namespace {

constexpr int64_t kMostSlice = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeastSlice = std::numeric_limits<int64_t>::min();

std::string Slice(const std::string& input, int64_t start, int64_t end = kMostSlice, int64_t stride = 1) {
  return InferShape(
      input, [=](InferenceContext* c, ShapeHandle* out) { return c->Subshape(c->input(0), start, end, stride, out); });
}

TEST(Subshape, CountsNegativePositionsFromTheEndAndCutsLargeOnes) {
  EXPECT_EQ(Slice("[1,2,3,4]", 1, 3), "[d0_1,d0_2]");
  EXPECT_EQ(Slice("[1,2,3,4]", -2), "[d0_2,d0_3]");
  EXPECT_EQ(Slice("[1,2,3,4]", 0, -1), "[d0_0,d0_1,d0_2]");
  EXPECT_EQ(Slice("[1,2]", 5, 9), "[]");
}

TEST(Subshape, OfAllIsTheShapeItselfEvenIfUnknown) {
  EXPECT_EQ(Slice("[1,2]", 0), "in0");
  EXPECT_EQ(Slice("[1,2]", 0, 2), "in0");
  EXPECT_EQ(Slice("?", 0), "in0");
  EXPECT_EQ(Slice("?", 1), "?");
}

TEST(Subshape, TakesStridesBackToo) {
  EXPECT_EQ(Slice("[1,2,3,4,5]", 0, 5, 2), "[d0_0,d0_2,d0_4]");
  EXPECT_EQ(Slice("[1,2,3,4]", 4, 0, -1), "[d0_3,d0_2,d0_1]");
  EXPECT_EQ(Slice("[1,2,3,4]", -1, 0, -2), "[d0_3,d0_1]");
  EXPECT_EQ(Slice("[1,2,3]", 0, 2, 0), "[]");
}

TEST(Subshape, NeverStepsOutsideWhateverTheNumbers) {
  EXPECT_EQ(Slice("[1,2,3]", 2, 3, kMostSlice), "[d0_2]");
  EXPECT_EQ(Slice("[1,2,3]", 2, 0, kLeastSlice), "[d0_2]");
  EXPECT_EQ(Slice("[1,2,3]", 3, 0, 0), "[]");
  EXPECT_EQ(Slice("[1,2]", kLeastSlice),
            "error: Shape [1,2] has no dimensions from -9223372036854775808 to "
            "9223372036854775807 by steps of 1");
}

TEST(Subshape, RefusesWhatRunsTheWrongWay) {
  EXPECT_EQ(Slice("[1,2]", 2, 1), "error: Shape [1,2] has no dimensions from 2 to 1 by steps of 1");
  EXPECT_EQ(Slice("[1,2]", 0, 1, -1), "error: Shape [1,2] has no dimensions from 0 to 1 by steps of -1");
  EXPECT_EQ(Slice("[1,2]", -3), "error: Shape [1,2] has no dimensions from -3 to 9223372036854775807 by steps of 1");
}

TEST(Subshape, HasShortForms) {
  EXPECT_EQ(
      InferShape("[1,2,3]", [](InferenceContext* c, ShapeHandle* out) { return c->Subshape(c->input(0), 1, out); }),
      "[d0_1,d0_2]");
  EXPECT_EQ(
      InferShape("[1,2,3]", [](InferenceContext* c, ShapeHandle* out) { return c->Subshape(c->input(0), 1, 2, out); }),
      "[d0_1]");
}

TEST(Concatenate, JoinsAndIsUnknownIfEitherIs) {
  const auto join = [](InferenceContext* c, ShapeHandle* out) { return c->Concatenate(c->input(0), c->input(1), out); };
  EXPECT_EQ(InferShape("[1,?];[3]", join), "[d0_0,d0_1,d1_0]");
  EXPECT_EQ(InferShape("[];[]", join), "[]");
  EXPECT_EQ(InferShape("[1];?", join), "?");
}

TEST(Concatenate, RefusesMoreDimensionsThanATensorHas) {
  EXPECT_EQ(InferShape("",
                       [](InferenceContext* c, ShapeHandle* out) {
                         return c->Concatenate(c->UnknownShapeOfRank(20), c->UnknownShapeOfRank(20), out);
                       }),
            "error: A shape of 40 dimensions; there may be 32");
}

TEST(ReplaceDim, TakesNegativeIndices) {
  const auto replace = [](int64_t i) {
    return [=](InferenceContext* c, ShapeHandle* out) { return c->ReplaceDim(c->input(0), i, c->MakeDim(9), out); };
  };
  EXPECT_EQ(InferShape("[1,2,3]", replace(0)), "[9,d0_1,d0_2]");
  EXPECT_EQ(InferShape("[1,2,3]", replace(-1)), "[d0_0,d0_1,9]");
  EXPECT_EQ(InferShape("[1,2,3]", replace(3)), "error: Shape [1,2,3] has no dimension 3");
  EXPECT_EQ(InferShape("?", replace(99)), "?");
}

template <typename Make>
std::string Made(Make make) {
  return InferShape("[5,?]", [&](InferenceContext* c, ShapeHandle* out) {
    *out = make(c);
    return Status::OK();
  });
}

TEST(MakeShape, MixesHandlesAndNumbers) {
  EXPECT_EQ(Made([](InferenceContext* c) {
              return c->MakeShape({c->Dim(c->input(0), 0), 3, c->UnknownDim(), -1});
            }),
            "[d0_0,3,?,?]");
  EXPECT_EQ(Made([](InferenceContext* c) { return c->MakeShape(std::vector<DimensionHandle>{c->MakeDim(7)}); }), "[7]");
  EXPECT_EQ(Made([](InferenceContext* c) { return c->MakeShape({}); }), "[]");
}

TEST(MakeShape, HasNamesForCommonRanks) {
  EXPECT_EQ(Made([](InferenceContext* c) { return c->Scalar(); }), "[]");
  EXPECT_EQ(Made([](InferenceContext* c) { return c->Vector(c->Dim(c->input(0), -1)); }), "[d0_1]");
  EXPECT_EQ(Made([](InferenceContext* c) { return c->Matrix(c->Dim(c->input(0), 0), 3); }), "[d0_0,3]");
  EXPECT_EQ(Made([](InferenceContext* c) { return c->UnknownShapeOfRank(2); }), "[?,?]");
  EXPECT_EQ(Made([](InferenceContext* c) { return c->UnknownShapeOfRank(c->kUnknownRank); }), "?");
}

TEST(MakeShape, FailsTheFunctionForWhatCannotBe) {
  EXPECT_EQ(Made([](InferenceContext* c) { return c->Vector(-2); }), "error: No dimension has size -2");
  EXPECT_EQ(Made([](InferenceContext* c) { return c->UnknownShapeOfRank(33); }),
            "error: A shape of 33 dimensions; there may be 0 to 32");
  EXPECT_EQ(Made([](InferenceContext* c) { return c->Vector(c->Dim(c->input(0), 2)); }),
            "error: Shape [5,?] has no dimension 2");
}

TEST(MakeShape, ReadsStoredShapes) {
  EXPECT_EQ(InferShape("",
                       [](InferenceContext* c, ShapeHandle* out) {
                         return c->MakeShapeFromTensorShape(opsrun::TensorShape({2, 3}), out);
                       }),
            "[2,3]");
  EXPECT_EQ(InferShape("",
                       [](InferenceContext* c, ShapeHandle* out) {
                         return c->MakeShapeFromPartialTensorShape(opsrun::PartialTensorShape({-1, 3}), out);
                       }),
            "[?,3]");
  EXPECT_EQ(InferShape("",
                       [](InferenceContext* c, ShapeHandle* out) {
                         return c->MakeShapeFromPartialTensorShape(opsrun::PartialTensorShape(), out);
                       }),
            "?");
}

}  // namespace
}  // namespace opsrun_test
