// plugins/list_ops/unpack_op_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "list_ops_test.h"

namespace list_ops_test {
namespace {

struct UnpackOp : OpFixture {
  UnpackOp() : OpFixture("Unpack", "value", "output") {}

  std::string Infer(const std::string& shape, uint32_t num, int64_t axis) {
    FakeShapeCall call(host_, shape, num);
    call.attrs.Int("num", num).Int("axis", axis);
    return OpFixture::Infer(call, 1, num);
  }
  template <typename T>
  std::string Unpack(FakeCall& call, int num, int64_t axis) {
    const int32_t dtype = opsrun_test::kDtypeOf<T>;
    for (int i = 0; i < num; ++i) call.Out(dtype);
    return Run(call, dtype, [axis](FakeAttrs& attrs) { attrs.Int("axis", axis); });
  }
};

TEST_F(UnpackOp, TakesRows) {
  FakeCall call(host_);
  EXPECT_EQ(Unpack<int32_t>(call.In<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6}), 2, 0), "ok");
  EXPECT_EQ(call.Shape(1), Sizes{3});
  EXPECT_EQ(call.Values<int32_t>(0), (std::vector<int32_t>{1, 2, 3}));
  EXPECT_EQ(call.Values<int32_t>(1), (std::vector<int32_t>{4, 5, 6}));
}

TEST_F(UnpackOp, TakesColumns) {
  FakeCall call(host_);
  EXPECT_EQ(Unpack<uint8_t>(call.In<uint8_t>({2, 3}, {1, 2, 3, 4, 5, 6}), 3, -1), "ok");
  EXPECT_EQ(call.Shape(2), Sizes{2});
  EXPECT_EQ(call.Values<uint8_t>(0), (std::vector<uint8_t>{1, 4}));
  EXPECT_EQ(call.Values<uint8_t>(2), (std::vector<uint8_t>{3, 6}));
}

TEST_F(UnpackOp, MakesScalarsOfAVector) {
  FakeCall call(host_);
  EXPECT_EQ(Unpack<double>(call.In<double>({2}, {0.5, 7}), 2, 0), "ok");
  EXPECT_EQ(call.Shape(1), Sizes{});
  EXPECT_EQ(call.Values<double>(1), std::vector<double>{7});
}

TEST_F(UnpackOp, GivesNoPartsOfNothing) {
  FakeCall none(host_), empty(host_);
  EXPECT_EQ(Unpack<float>(none.In<float>({0, 2}, {}), 0, 0), "ok");
  EXPECT_EQ(Unpack<float>(empty.In<float>({0, 2}, {}), 2, 1), "ok");
  EXPECT_EQ(empty.Shape(0), Sizes{0});
}

TEST_F(UnpackOp, NamesWhatComesLateAndDoesNotFit) {
  FakeCall num(host_), axis(host_), scalar(host_);
  EXPECT_EQ(Unpack<float>(num.In<float>({3, 1}, {1, 2, 3}), 2, 0),
            Refusal("attr:num", "num is 2, but must be the size of dimension 0 of value, whose shape is [3,1]"));
  EXPECT_EQ(Unpack<float>(axis.In<float>({3}, {1, 2, 3}), 3, -2),
            Refusal("attr:axis", "axis is -2, but must be between -1 and 0, since value has rank 1"));
  EXPECT_EQ(Unpack<float>(scalar.In<float>({}, {1}), 1, 0), Refusal("attr:axis", "axis is 0, but value is a scalar"));
}

TEST_F(UnpackOp, HasAKernelForEveryNumberAndBool) {
  EXPECT_TRUE(HasAKernelForEveryNumber());
  EXPECT_NE(KernelFor(OPSRUN_DT_BOOL), nullptr);
}

TEST_F(UnpackOp, InfersTheShapeOfEachPart) {
  EXPECT_EQ(Infer("[2,3,?]", 2, 0), "[d0_1,d0_2];[d0_1,d0_2]");
  EXPECT_EQ(Infer("[2,3,?]", 1, -1), "[d0_0,d0_1]");
  EXPECT_EQ(Infer("[2,3,?]", 3, 1), "[d0_0,d0_2];[d0_0,d0_2];[d0_0,d0_2]");
  EXPECT_EQ(Infer("?", 2, 9), "?;?");
  EXPECT_EQ(Infer("[0]", 0, 0), "");
}

TEST_F(UnpackOp, RefusesWhatDoesNotFit) {
  EXPECT_EQ(Infer("[2,3]", 2, 1),
            Refusal("attr:num", "num is 2, but must be the size of dimension 1 of value, whose shape is [2,3]"));
  EXPECT_EQ(Infer("[2,3]", 2, 2),
            Refusal("attr:axis", "axis is 2, but must be between -2 and 1, since value has rank 2"));
  EXPECT_EQ(Infer("[]", 2, 0), Refusal("attr:axis", "axis is 0, but value is a scalar"));
}

}  // namespace
}  // namespace list_ops_test
