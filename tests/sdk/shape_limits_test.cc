// tests/sdk/shape_limits_test.cc: numbers and handles that make no sense are errors, whatever the method.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sdk/infer.h"

namespace opsrun_test {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

std::string DimAt(const std::string& input, int64_t i) {
  return InferDim(input, [=](InferenceContext* c, DimensionHandle* out) {
    *out = c->DimKnownRank(c->input(0), i);
    return Status::OK();
  });
}

TEST(Limits, NoDimensionIsOutsideTheShape) {
  EXPECT_EQ(DimAt("[1,2]", 2), "error: Shape [1,2] has no dimension 2");
  EXPECT_EQ(DimAt("[1,2]", -3), "error: Shape [1,2] has no dimension -3");
  EXPECT_EQ(DimAt("[1,2]", kMax), "error: Shape [1,2] has no dimension 9223372036854775807");
  EXPECT_EQ(DimAt("[1,2]", kMin), "error: Shape [1,2] has no dimension -9223372036854775808");
  EXPECT_EQ(DimAt("[]", 0), "error: Shape [] has no dimension 0");
  EXPECT_EQ(DimAt("[]", -1), "error: Shape [] has no dimension -1");
}

TEST(Limits, AShapeOfUnknownRankHasNoDimensionToBeTakenAsKnown) {
  EXPECT_EQ(DimAt("?", 0), "error: Shape ? has no dimension 0");
  EXPECT_EQ(DimAt("?", kMin), "error: Shape ? has no dimension -9223372036854775808");
}

std::string Replace(const std::string& input, int64_t i) {
  return InferShape(input, [=](InferenceContext* c, ShapeHandle* out) {
    return c->ReplaceDim(c->input(0), i, c->Dim(c->input(0), 0), out);
  });
}

TEST(Limits, NoDimensionOutsideTheShapeIsReplaced) {
  EXPECT_EQ(Replace("[1]", kMax), "error: Shape [1] has no dimension 9223372036854775807");
  EXPECT_EQ(Replace("[1]", kMin), "error: Shape [1] has no dimension -9223372036854775808");
  EXPECT_EQ(Replace("?", kMin), "?");
}

TEST(Limits, SubshapesOfUnknownRankAreUnknownWhateverTheNumbers) {
  for (const int64_t number : {kMin, int64_t{-1}, int64_t{0}, kMax}) {
    EXPECT_EQ(InferShape("?", [=](InferenceContext* c,
                                  ShapeHandle* out) { return c->Subshape(c->input(0), number, number, number, out); }),
              "?");
  }
}

TEST(Limits, SubshapesStayInsideWhateverTheNumbers) {
  const int64_t numbers[] = {kMin, kMin + 1, -33, -2, -1, 0, 1, 2, 3, 33, kMax - 1, kMax};
  InContext("[1,2]", [&](InferenceContext* c) {
    for (const int64_t start : numbers) {
      for (const int64_t end : numbers) {
        for (const int64_t stride : numbers) {
          ShapeHandle out;
          const Status status = c->Subshape(c->input(0), start, end, stride, &out);
          EXPECT_EQ(status.ok(), out.IsSet());
          EXPECT_LE(c->Rank(out), 2);
        }
      }
    }
  });
}

// That many dimensions and one more.
std::string OneMoreThan(int64_t rank) {
  return InferShape("[?]", [=](InferenceContext* c, ShapeHandle* out) {
    return c->Concatenate(c->UnknownShapeOfRank(rank), c->input(0), out);
  });
}

TEST(Limits, RankEndsAtThatOfTensors) {
  EXPECT_EQ(OneMoreThan(1), "[?,d0_0]");
  EXPECT_EQ(OneMoreThan(31).find("error"), std::string::npos);
  EXPECT_EQ(OneMoreThan(32), "error: A shape of 33 dimensions; there may be 32");
  EXPECT_EQ(OneMoreThan(33), "error: A shape of 33 dimensions; there may be 0 to 32");
}

TEST(Limits, RanksThatAreNoneAreRefused) {
  const auto with_rank = [](int64_t rank) {
    return InferShape("?", [=](InferenceContext* c, ShapeHandle* out) { return c->WithRank(c->input(0), rank, out); });
  };
  EXPECT_EQ(with_rank(kMin), "error: A shape of -9223372036854775808 dimensions; there may be 0 to 32");
  EXPECT_EQ(with_rank(kMax), "error: A shape of 9223372036854775807 dimensions; there may be 0 to 32");
  InContext("?;[1]", [](InferenceContext* c) {
    ShapeHandle out;
    EXPECT_FALSE(c->WithRankAtLeast(c->input(0), kMax, &out).ok());
    EXPECT_FALSE(c->WithRankAtMost(c->input(0), kMax, &out).ok());
    EXPECT_TRUE(c->WithRankAtLeast(c->input(1), kMin, &out).ok());
    EXPECT_FALSE(c->WithRankAtMost(c->input(1), kMin, &out).ok());
  });
}

TEST(Limits, SizesThatAreNoneAreRefused) {
  InContext("[?,2]", [](InferenceContext* c) {
    const DimensionHandle unknown = c->Dim(c->input(0), 0), two = c->Dim(c->input(0), 1);
    for (const int64_t size : {kMin, int64_t{-2}}) {
      const auto fails = [&](const auto& method) {
        DimensionHandle out = two;
        return !method(&out).ok() && !out.IsSet();
      };
      typedef DimensionHandle* Out;
      EXPECT_TRUE(fails([&](Out out) { return c->WithValue(unknown, size, out); }));
      EXPECT_TRUE(fails([&](Out out) { return c->WithValue(two, size, out); }));
      EXPECT_TRUE(fails([&](Out out) { return c->Add(two, size, out); }));
      EXPECT_TRUE(fails([&](Out out) { return c->Subtract(two, size, out); }));
      EXPECT_TRUE(fails([&](Out out) { return c->Multiply(two, size, out); }));
      EXPECT_TRUE(fails([&](Out out) { return c->Divide(two, size, false, out); }));
      EXPECT_TRUE(fails([&](Out out) { return c->Min(two, size, out); }));
      EXPECT_TRUE(fails([&](Out out) { return c->Max(two, size, out); }));
    }
  });
}

TEST(Limits, ArithmeticOnTheLargestSizeNeverWraps) {
  InContext("[9223372036854775807]", [](InferenceContext* c) {
    const DimensionHandle largest = c->Dim(c->input(0), 0);
    DimensionHandle out;
    EXPECT_FALSE(c->Add(largest, largest, &out).ok());
    EXPECT_FALSE(c->Multiply(largest, largest, &out).ok());
    EXPECT_FALSE(c->Multiply(largest, 2, &out).ok());
    EXPECT_TRUE(c->Subtract(largest, kMax, &out).ok());
    EXPECT_EQ(c->Value(out), 0);
    EXPECT_TRUE(c->Divide(largest, kMax, true, &out).ok());
    EXPECT_EQ(c->Value(out), 1);
    EXPECT_TRUE(c->Add(largest, int64_t{0}, &out).ok());
    EXPECT_EQ(c->Value(out), kMax);
  });
}

// A shape function may have kept handles where it should not; those of an inference that still lives are refused.
template <typename Use>
std::string WithForeign(Use use) {
  FakeHost host;
  FakeShapeCall other(host, "[?,4]");
  ShapeHandle foreign;
  InContext(other, [&](InferenceContext* c) { foreign = c->input(0); });
  return Infer("[?,?]", [&](InferenceContext* c) { return use(c, foreign); });
}

TEST(ForeignHandles, AreRefusedAsOutputs) {
  EXPECT_EQ(WithForeign([](InferenceContext* c, ShapeHandle foreign) {
              c->set_output(0, foreign);
              return Status::OK();
            }),
            "error: a shape of another inference");
}

TEST(ForeignHandles, AreRefusedInNewShapesAndInArithmetic) {
  EXPECT_EQ(WithForeign([](InferenceContext* c, ShapeHandle foreign) {
              c->set_output(0, c->Vector(c->Dim(foreign, 1)));
              return Status::OK();
            }),
            "error: a dimension of another inference");
  EXPECT_EQ(WithForeign([](InferenceContext* c, ShapeHandle foreign) {
              ShapeHandle out;
              return c->Merge(c->input(0), foreign, &out);
            }),
            "error: a dimension of another inference");
  EXPECT_EQ(WithForeign([](InferenceContext* c, ShapeHandle foreign) {
              DimensionHandle out;
              return c->Add(c->Dim(foreign, 0), 1, &out);
            }),
            "error: a dimension of another inference");
}

TEST(ForeignHandles, MayBeLookedAt) {
  EXPECT_EQ(WithForeign([](InferenceContext* c, ShapeHandle foreign) {
              EXPECT_EQ(c->DebugString(foreign), "[?,4]");
              return Status::OK();
            }),
            "?");
}

TEST(Limits, AValueSpellsAShapeOf32SizesAndNoMore) {
  for (const size_t count : {0u, 1u, 31u, 32u, 33u}) {
    FakeHost host;
    FakeShapeCall call(host, "[" + std::to_string(count) + "]");
    call.Value<int64_t>(0, {static_cast<int64_t>(count)}, std::vector<int64_t>(count, 1));
    const std::string made = Infer(call, [](InferenceContext* c) {
      ShapeHandle shape;
      TF_RETURN_IF_ERROR(c->MakeShapeFromTensor(c->input_tensor(0), c->input(0), &shape));
      EXPECT_EQ(c->Rank(shape), c->Value(c->Dim(c->input(0), 0)));
      return Status::OK();
    });
    EXPECT_EQ(made.substr(0, 5) == "error", count > 32) << made;
  }
}

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
