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

}  // namespace
}  // namespace opsrun_test
