// tests/sdk/shape_limits_test.cc: invalid numbers and handles are errors in every method.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sdk/infer.h"

namespace opsrun_test {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

// The value of an int attr of the call.
int64_t Attr(InferenceContext* c, const char* name) {
  int64_t value = 0;
  EXPECT_TRUE(c->GetAttr(name, &value).ok());
  return value;
}

TEST(Limits, NoDimensionIsOutsideTheShape) {
  const auto dim = [](InferenceContext* c, DimensionHandle* out) {
    *out = c->DimKnownRank(c->input(0), Attr(c, "i"));
    return Status::OK();
  };
  ExpectShapes(DimOf(dim), R"(
[1,2] i=2 -> error: Shape [1,2] has no dimension 2
[1,2] i=-3 -> error: Shape [1,2] has no dimension -3
[1,2] i=9223372036854775807 -> error: Shape [1,2] has no dimension 9223372036854775807
[1,2] i=-9223372036854775808 -> error: Shape [1,2] has no dimension -9223372036854775808
[] i=0 -> error: Shape [] has no dimension 0
[] i=-1 -> error: Shape [] has no dimension -1
? i=0 -> error: Shape ? has no dimension 0
? i=-9223372036854775808 -> error: Shape ? has no dimension -9223372036854775808
)");
}

TEST(Limits, SubshapesStayInsideWhateverTheNumbers) {
  const int64_t numbers[] = {kMin, kMin + 1, -65, -2, -1, 0, 1, 2, 3, 65, kMax - 1, kMax};
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

TEST(Limits, RankEndsAtThatOfTensors) {
  const auto one_more = [](InferenceContext* c, ShapeHandle* out) {
    return c->Concatenate(c->UnknownShapeOfRank(Attr(c, "rank")), c->input(0), out);
  };
  ExpectShapes(ShapeOf(one_more), R"(
[?] rank=1 -> [?,d0_0]
[?] rank=64 -> error: A shape of 65 dimensions; there may be 64
[?] rank=65 -> error: A shape of 65 dimensions; there may be 0 to 64
)");
  EXPECT_EQ(InferShape("[?] rank=63", one_more).find("error"), std::string::npos);
}

TEST(Limits, RanksThatAreNoneAreRefused) {
  const auto with_rank = [](InferenceContext* c, ShapeHandle* out) {
    return c->WithRank(c->input(0), Attr(c, "rank"), out);
  };
  ExpectShapes(ShapeOf(with_rank), R"(
? rank=-9223372036854775808 -> error: A shape of -9223372036854775808 dimensions; there may be 0 to 64
? rank=9223372036854775807 -> error: A shape of 9223372036854775807 dimensions; there may be 0 to 64
)");
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

// A shape function may have kept handles illegally; those of an inference that still exists are rejected.
template <typename Use>
std::string WithForeign(Use use) {
  TestShapeCall other("[?,4]");
  ShapeHandle foreign;
  InContext(other, [&](InferenceContext* c) { foreign = c->input(0); });
  return Infer("[?,?]", [&](InferenceContext* c) { return use(c, foreign); });
}

TEST(ForeignHandles, AreRefused) {
  EXPECT_EQ(WithForeign([](InferenceContext* c, ShapeHandle foreign) {
              EXPECT_EQ(c->DebugString(foreign), "[?,4]") << "may be looked at";
              c->set_output(0, foreign);
              return Status();
            }),
            "error: The host refuses [?,4] for output 0");
  EXPECT_EQ(WithForeign([](InferenceContext* c, ShapeHandle foreign) {
              c->set_output(0, c->Vector(c->Dim(foreign, 1)));
              return Status::OK();
            }),
            "error: The host cannot make a shape");
  EXPECT_EQ(
      WithForeign([](InferenceContext* c, ShapeHandle foreign) { return c->Merge(c->input(0), foreign, &foreign); }),
      "error: Two dimensions must be equal, but are known to differ");
  EXPECT_EQ(WithForeign([](InferenceContext* c, ShapeHandle foreign) {
              DimensionHandle out;
              return c->Add(c->Dim(foreign, 0), 1, &out);
            }),
            "error: The host cannot compute with an unknown dimension");
}

TEST(Subshape, IsASliceWhateverTheNumbers) {
  const auto slice = [](InferenceContext* c, ShapeHandle* out) {
    return c->Subshape(c->input(0), Attr(c, "start"), Attr(c, "end"), Attr(c, "stride"), out);
  };
  const std::string all = "start=0 end=9223372036854775807 stride=1";
  ExpectShapes(ShapeOf(slice), R"(
[1,2,3,4] start=1 end=3 -> [d0_1,d0_2] | [1,2,3,4] start=-2 -> [d0_2,d0_3]
[1,2,3,4] end=-1 -> [d0_0,d0_1,d0_2] | [1,2] start=5 end=9 -> []
[1,2] -> in0 | [1,2] end=2 -> in0 | ? -> in0 | ? start=1 -> ?
[1,2,3,4,5] end=5 stride=2 -> [d0_0,d0_2,d0_4] | [1,2,3,4] start=4 end=0 stride=-1 -> [d0_3,d0_2,d0_1]
[1,2,3,4] start=-1 end=0 stride=-2 -> [d0_3,d0_1] | [1,2,3] end=2 stride=0 -> []
[1,2,3] start=2 end=3 stride=9223372036854775807 -> [d0_2]
[1,2,3] start=2 end=0 stride=-9223372036854775808 -> [d0_2] | [1,2,3] start=3 end=0 stride=0 -> []
? start=-1 end=-1 stride=-1 -> ? | ? end=0 stride=0 -> ?
? start=-9223372036854775808 end=-9223372036854775808 stride=-9223372036854775808 -> ?
? start=9223372036854775807 stride=9223372036854775807 -> ?
[1,2] start=2 end=1 -> error: Shape [1,2] has no dimensions from 2 to 1 by steps of 1
[1,2] end=1 stride=-1 -> error: Shape [1,2] has no dimensions from 0 to 1 by steps of -1
[1,2] start=-3 -> error: Shape [1,2] has no dimensions from -3 to 9223372036854775807 by steps of 1
[1,2] start=-9223372036854775808 -> INVALID_ARGUMENT
)",
               all);
}

TEST(Subshape, HasShortForms) {
  const auto from = [](InferenceContext* c, ShapeHandle* out) { return c->Subshape(c->input(0), 1, out); };
  const auto part = [](InferenceContext* c, ShapeHandle* out) { return c->Subshape(c->input(0), 1, 2, out); };
  ExpectShapes(ShapeOf(from), "[1,2,3] -> [d0_1,d0_2]");
  ExpectShapes(ShapeOf(part), "[1,2,3] -> [d0_1]");
}

TEST(Concatenate, JoinsAndIsUnknownIfEitherIs) {
  const auto join = [](InferenceContext* c, ShapeHandle* out) { return c->Concatenate(c->input(0), c->input(1), out); };
  ExpectShapes(ShapeOf(join), "[1,?];[3] -> [d0_0,d0_1,d1_0] | [];[] -> [] | [1];? -> ?");
}

TEST(ReplaceDim, TakesNegativeIndices) {
  const auto replace = [](InferenceContext* c, ShapeHandle* out) {
    return c->ReplaceDim(c->input(0), Attr(c, "i"), c->MakeDim(9), out);
  };
  ExpectShapes(ShapeOf(replace), R"(
[1,2,3] i=0 -> [9,d0_1,d0_2] | [1,2,3] i=-1 -> [d0_0,d0_1,9] | ? i=99 -> ? | ? i=-9223372036854775808 -> ?
[1,2,3] i=3 -> error: Shape [1,2,3] has no dimension 3
[1] i=9223372036854775807 -> error: Shape [1] has no dimension 9223372036854775807
[1] i=-9223372036854775808 -> error: Shape [1] has no dimension -9223372036854775808
)");
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
  EXPECT_EQ(Made([](InferenceContext* c) { return c->Vector(-2); }), "error: A dimension cannot have size -2");
  EXPECT_EQ(Made([](InferenceContext* c) { return c->Vector(c->Dim(c->input(0), 2)); }),
            "error: Shape [5,?] has no dimension 2");
}

TEST(MakeShape, ReadsStoredShapes) {
  const auto partial = [](const opsrun::PartialTensorShape& shape) {
    return InferShape(
        "", [&](InferenceContext* c, ShapeHandle* out) { return c->MakeShapeFromPartialTensorShape(shape, out); });
  };
  const auto whole = [](InferenceContext* c, ShapeHandle* out) {
    return c->MakeShapeFromTensorShape(opsrun::TensorShape({2, 3}), out);
  };
  EXPECT_EQ(InferShape("", whole), "[2,3]");
  EXPECT_EQ(partial({-1, 3}), "[?,3]");
  EXPECT_EQ(partial(opsrun::PartialTensorShape()), "?");
}

}  // namespace
}  // namespace opsrun_test
