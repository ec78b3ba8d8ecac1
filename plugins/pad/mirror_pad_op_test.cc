// plugins/pad/mirror_pad_op_test.cc: the kernels of MirrorPad.
// SPDX-License-Identifier: Apache-2.0
#include "pad_ops_test.h"

namespace pad_test {
namespace {

struct ReflectOp : OpFixture {
  ReflectOp() : OpFixture("MirrorPad", "REFLECT") {}
};
struct SymmetricOp : OpFixture {
  SymmetricOp() : OpFixture("MirrorPad", "SYMMETRIC") {}
};

TEST_F(ReflectOp, LeavesTheEdgeOut) {
  FakeCall call(host_);
  EXPECT_EQ(Run<int32_t>(call.In<int32_t>({3}, {1, 2, 3}).In<int32_t>({1, 2}, {2, 1})), "ok");
  EXPECT_EQ(call.Values<int32_t>(0), (std::vector<int32_t>{3, 2, 1, 2, 3, 2}));
}

TEST_F(SymmetricOp, RepeatsTheEdge) {
  FakeCall call(host_);
  EXPECT_EQ(Run<uint8_t>(call.In<uint8_t>({2, 2}, {1, 2, 3, 4}).In<int64_t>({2, 2}, {0, 1, 2, 1})), "ok");
  EXPECT_EQ(call.Shape(0), (Sizes{3, 5}));
  EXPECT_EQ(call.Values<uint8_t>(0), (std::vector<uint8_t>{2, 1, 1, 2, 2, 4, 3, 3, 4, 4, 4, 3, 3, 4, 4}));
}

TEST_F(ReflectOp, MirrorsStrings) {
  FakeCall call(host_);
  EXPECT_EQ(Run(call.InStrings({1, 3}, {"a", "b", "c"}).In<int32_t>({2, 2}, {0, 0, 2, 1}), OPSRUN_DT_STRING), "ok");
  EXPECT_EQ(call.Strings(0), (Strings{"c", "b", "a", "b", "c", "b"}));
}

TEST_F(SymmetricOp, CopiesAScalar) {
  FakeCall call(host_);
  EXPECT_EQ(Run<int64_t>(call.In<int64_t>({}, {62}).In<int32_t>({0, 2}, {})), "ok");
  EXPECT_EQ(call.Values<int64_t>(0), std::vector<int64_t>{62});
}

TEST_F(SymmetricOp, GivesNothingForNothing) {
  FakeCall call(host_);
  EXPECT_EQ(Run<float>(call.In<float>({2, 0}, {}).In<int32_t>({2, 2}, {1, 0, 0, 0})), "ok");
  EXPECT_EQ(call.Shape(0), (Sizes{3, 0}));
}

TEST_F(ReflectOp, RefusesADimensionOfNothing) {
  EXPECT_EQ(RunOn<int32_t>({0}, {1, 2}, {0, 0}),
            BadPaddings("REFLECT needs an element to turn around at, but dimension 0 of input has none"));
}

TEST_F(ReflectOp, RefusesMoreThanItCanShow) {
  const std::string sentence = "REFLECT allows borders of at most 1 for dimension 0 of input, which has size 2, but ";
  EXPECT_EQ(RunOn<int32_t>({2}, {1, 2}, {2, 0}), BadPaddings(sentence + "row 0 of paddings is [2, 0]"));
  EXPECT_EQ(RunOn<int64_t>({2}, {1, 2}, {1, kHuge}),
            BadPaddings(sentence + "row 0 of paddings is [1, 9223372036854775807]"));
  EXPECT_EQ(RunOn<int32_t>({2}, {1, 2}, {1, 1}), "ok");
}

TEST_F(SymmetricOp, RefusesMoreThanItCanShow) {
  EXPECT_EQ(RunOn<int32_t>({1, 2}, {2, 2}, {1, 1, 0, 3}),
            BadPaddings("SYMMETRIC allows borders of at most 2 for dimension 1 of input, which has size 2, but row 1 "
                        "of paddings is [0, 3]"));
  EXPECT_EQ(RunOn<int32_t>({1, 2}, {2, 2}, {1, 1, 2, 2}), "ok");
}

// The first row that is wrong is told, whatever is wrong with it.
TEST_F(ReflectOp, ChecksRowByRow) {
  EXPECT_EQ(RunOn<int32_t>({2, 2}, {2, 2}, {-1, 0, 5, 0}),
            BadPaddings("paddings must not be negative, but row 0 is [-1, 0]"));
  EXPECT_EQ(RunOn<int32_t>({0, 2}, {2, 2}, {0, 0, -1, 0}),
            BadPaddings("REFLECT needs an element to turn around at, but dimension 0 of input has none"));
}

TEST_F(ReflectOp, RefusesPaddingsOfAWrongShape) {
  EXPECT_EQ(RunOn<int32_t>({0, 1}, {1, 2}, {0, 0}),
            BadPaddings("paddings must have a row for each of the input's 2 dimensions, but its shape is [1,2]"));
  EXPECT_EQ(RunOn<int32_t>({3}, {2}, {0, 0}),
            BadPaddings("paddings must be a matrix of 2 columns, but its shape is [2]"));
}

TEST_F(ReflectOp, TakesEightDimensionsAndNoMore) {
  EXPECT_EQ(RunOn<int32_t>(Sizes(8, 2), {8, 2}, std::vector<int32_t>(16, 1)), "ok");
  EXPECT_EQ(RunOn<int32_t>(Sizes(9, 1), {9, 2}, std::vector<int32_t>(18, 0)),
            Refusal("input:input", "input may have at most 8 dimensions, but has 9", OPSRUN_UNIMPLEMENTED));
}

TEST_F(SymmetricOp, GivesTheSameHoweverItIsCut) {
  std::vector<int32_t> values(300 * 301);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int32_t>(i);
  FakeCall whole(host_), cut(host_);
  for (FakeCall* call : {&whole, &cut}) {
    EXPECT_EQ(Run<int32_t>(call->In<int32_t>({300, 301}, values).In<int32_t>({2, 2}, {1, 5, 30, 301})), "ok");
    CutLoops(host_);
  }
  EXPECT_EQ(whole.Values<int32_t>(0), cut.Values<int32_t>(0));
}

TEST_F(SymmetricOp, HasAKernelForEveryNumberAndBool) {
  EXPECT_TRUE(HasAKernelForEveryNumberAndBool());
}

}  // namespace
}  // namespace pad_test
