// plugins/list_ops/split_op_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "list_ops_test.h"

namespace list_ops_test {
namespace {

struct SplitOp : OpFixture {
  SplitOp() : OpFixture("Split", "value", "output") {}

  std::string Infer(FakeShapeCall& call, uint32_t num) {
    call.InArg("split_dim", 1);
    return OpFixture::Infer(call, 1, num);
  }
  std::string Infer(const std::string& shapes, uint32_t num) {
    FakeShapeCall call(host_, shapes, num);
    return Infer(call, num);
  }
  std::string InferAlong(int32_t split_dim, const std::string& value, uint32_t num) {
    FakeShapeCall call(host_, "[];" + value, num);
    return Infer(call.Value<int32_t>(0, {}, {split_dim}), num);
  }

  std::string Split(FakeCall& call, int num) {
    for (int i = 0; i < num; ++i) call.Out(OPSRUN_DT_INT16);
    return Run(call, OPSRUN_DT_INT16);
  }
  std::string SplitAlong(FakeCall& call, int32_t split_dim, const Sizes& shape, int num) {
    return Split(call.In<int32_t>({}, {split_dim}).In<int16_t>(shape, {1, 2, 3, 4, 5, 6, 7, 8}), num);
  }
};

TEST_F(SplitOp, CutsRows) {
  FakeCall call(host_);
  EXPECT_EQ(SplitAlong(call, 0, {4, 2}, 2), "ok");
  EXPECT_EQ(call.Shape(0), (Sizes{2, 2}));
  EXPECT_EQ(call.Values<int16_t>(0), (std::vector<int16_t>{1, 2, 3, 4}));
  EXPECT_EQ(call.Values<int16_t>(1), (std::vector<int16_t>{5, 6, 7, 8}));
}

TEST_F(SplitOp, CutsColumns) {
  FakeCall call(host_);
  EXPECT_EQ(SplitAlong(call, -1, {2, 4}, 2), "ok");
  EXPECT_EQ(call.Shape(1), (Sizes{2, 2}));
  EXPECT_EQ(call.Values<int16_t>(0), (std::vector<int16_t>{1, 2, 5, 6}));
  EXPECT_EQ(call.Values<int16_t>(1), (std::vector<int16_t>{3, 4, 7, 8}));
}

TEST_F(SplitOp, MakesOnePart) {
  FakeCall call(host_);
  EXPECT_EQ(SplitAlong(call, 1, {2, 4}, 1), "ok");
  EXPECT_EQ(call.Shape(0), (Sizes{2, 4}));
}

TEST_F(SplitOp, CutsNothingIntoNothings) {
  FakeCall call(host_);
  EXPECT_EQ(Split(call.In<int32_t>({}, {0}).In<int16_t>({0, 3}, {}), 5), "ok");
  EXPECT_EQ(call.Shape(4), (Sizes{0, 3}));
}

TEST_F(SplitOp, NamesWhatComesLateAndDoesNotFit) {
  FakeCall uneven(host_), axis(host_), vector(host_);
  EXPECT_EQ(SplitAlong(uneven, 0, {4, 2}, 3),
            Refusal("attr:num_split", "num_split is 3, but must divide dimension 0 of value, whose shape is [4,2]"));
  EXPECT_EQ(SplitAlong(axis, 2, {4, 2}, 2),
            Refusal("input:split_dim", "split_dim is 2, but must be between -2 and 1, since value has rank 2"));
  EXPECT_EQ(Split(vector.In<int32_t>({1}, {0}).In<int16_t>({1}, {1}), 1),
            Refusal("input:split_dim", "split_dim must be a scalar, but its shape is [1]"));
}

TEST_F(SplitOp, HasAKernelForEveryNumberAndBool) {
  EXPECT_TRUE(HasAKernelForEveryNumber());
  EXPECT_NE(KernelFor(OPSRUN_DT_BOOL), nullptr);
}

TEST_F(SplitOp, InfersTheShapeOfEachPart) {
  EXPECT_EQ(InferAlong(0, "[4,?]", 2), "[2,d1_1];[2,d1_1]");
  EXPECT_EQ(InferAlong(-1, "[4,?]", 2), "[d1_0,?];[d1_0,?]");
  EXPECT_EQ(InferAlong(1, "?", 2), "?;?");
}

TEST_F(SplitOp, KnowsTheRankAloneWithoutTheAxis) {
  EXPECT_EQ(Infer("[];[4,5]", 2), "[?,?];[?,?]");
  EXPECT_EQ(Infer("?;?", 1), "?");
}

TEST_F(SplitOp, RefusesWhatDoesNotFit) {
  EXPECT_EQ(InferAlong(1, "[4,5]", 2),
            Refusal("attr:num_split", "num_split is 2, but must divide dimension 1 of value, whose shape is [4,5]"));
  EXPECT_EQ(InferAlong(-3, "[4,5]", 2),
            Refusal("input:split_dim", "split_dim is -3, but must be between -2 and 1, since value has rank 2"));
  EXPECT_EQ(Infer("[2];[4,5]", 2), Refusal("input:split_dim", "split_dim must be a scalar, but its shape is [2]"));
}

}  // namespace
}  // namespace list_ops_test
