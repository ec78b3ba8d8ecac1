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

}  // namespace
}  // namespace opsrun_test
