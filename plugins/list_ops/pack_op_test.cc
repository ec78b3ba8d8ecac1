// plugins/list_ops/pack_op_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "list_ops_test.h"

namespace list_ops_test {
namespace {

struct PackOp : OpFixture {
  PackOp() : OpFixture("Pack", "values", "output") {}

  std::string Infer(const std::string& shapes, uint32_t n, int64_t axis) {
    FakeShapeCall call(host_, shapes);
    call.attrs.Int("N", n).Int("axis", axis);
    return OpFixture::Infer(call, n);
  }
  template <typename T>
  std::string Pack(FakeCall& call, int64_t axis) {
    const int32_t dtype = opsrun_test::kDtypeOf<T>;
    return Run(call.Out(dtype), dtype, [axis](FakeAttrs& attrs) { attrs.Int("axis", axis); });
  }
};

TEST_F(PackOp, StacksRows) {
  FakeCall call(host_);
  EXPECT_EQ(Pack<int32_t>(call.In<int32_t>({2}, {1, 2}).In<int32_t>({2}, {3, 4}).In<int32_t>({2}, {5, 6}), 0), "ok");
  EXPECT_EQ(call.Shape(0), (Sizes{3, 2}));
  EXPECT_EQ(call.Values<int32_t>(0), (std::vector<int32_t>{1, 2, 3, 4, 5, 6}));
}

TEST_F(PackOp, MakesColumnsAlongTheLastAxis) {
  FakeCall call(host_);
  EXPECT_EQ(Pack<bool>(call.In<bool>({3}, {true, false, true}).In<bool>({3}, {false, false, true}), -1), "ok");
  EXPECT_EQ(call.Shape(0), (Sizes{3, 2}));
  EXPECT_EQ(call.Values<bool>(0), (std::vector<bool>{true, false, false, false, true, true}));
}

TEST_F(PackOp, PacksInTheMiddle) {
  FakeCall call(host_);
  EXPECT_EQ(Pack<uint8_t>(call.In<uint8_t>({2, 2}, {1, 2, 3, 4}).In<uint8_t>({2, 2}, {5, 6, 7, 8}), -2), "ok");
  EXPECT_EQ(call.Shape(0), (Sizes{2, 2, 2}));
  EXPECT_EQ(call.Values<uint8_t>(0), (std::vector<uint8_t>{1, 2, 5, 6, 3, 4, 7, 8}));
}

TEST_F(PackOp, MakesAVectorOfScalars) {
  FakeCall call(host_);
  EXPECT_EQ(Pack<double>(call.In<double>({}, {0.5}).In<double>({}, {7}), 0), "ok");
  EXPECT_EQ(call.Shape(0), Sizes{2});
  EXPECT_EQ(call.Values<double>(0), (std::vector<double>{0.5, 7}));
}

TEST_F(PackOp, PacksNothing) {
  FakeCall call(host_);
  EXPECT_EQ(Pack<float>(call.In<float>({0}, {}).In<float>({0}, {}), 1), "ok");
  EXPECT_EQ(call.Shape(0), (Sizes{0, 2}));
}

TEST_F(PackOp, NamesWhatComesLateAndDoesNotFit) {
  FakeCall shapes(host_), axis(host_);
  EXPECT_EQ(Pack<float>(shapes.In<float>({}, {1}).In<float>({1}, {1}), 0),
            Refusal("input:values.1", "all values must have the same shape, but tensor 0 is [] and tensor 1 is [1]"));
  EXPECT_EQ(Pack<float>(axis.In<float>({}, {1}), 1),
            Refusal("attr:axis", "axis is 1, but must be between -1 and 0, since the output has rank 1"));
}

TEST_F(PackOp, HasAKernelForEveryNumberAndBool) {
  EXPECT_TRUE(HasAKernelForEveryNumber());
  EXPECT_NE(KernelFor(OPSRUN_DT_BOOL), nullptr);
  EXPECT_NE(KernelFor(OPSRUN_DT_QUINT16), nullptr);
  EXPECT_EQ(KernelFor(OPSRUN_DT_STRING), nullptr);
}

TEST_F(PackOp, InfersTheNewDimension) {
  EXPECT_EQ(Infer("[1,3];[1,3];?", 3, 0), "[3,d0_0,d0_1]");
  EXPECT_EQ(Infer("[1,3];[1,3];?", 3, 1), "[d0_0,3,d0_1]");
  EXPECT_EQ(Infer("[1,3];[1,3];?", 3, -1), "[d0_0,d0_1,3]");
  EXPECT_EQ(Infer("[1,3];[1,3];?", 3, -3), "[3,d0_0,d0_1]");
  EXPECT_EQ(Infer("[?,3];[1,?]", 2, 1), "[d1_0,2,d0_1]");
  EXPECT_EQ(Infer("[]", 1, -1), "[1]");
  EXPECT_EQ(Infer("?;?", 2, 7), "?");
}

TEST_F(PackOp, RefusesAnAxisOutOfRange) {
  const std::string sentence = ", but must be between -3 and 2, since the output has rank 3";
  EXPECT_EQ(Infer("[1,3];?", 2, 3), Refusal("attr:axis", "axis is 3" + sentence));
  EXPECT_EQ(Infer("[1,3];?", 2, -4), Refusal("attr:axis", "axis is -4" + sentence));
}

TEST_F(PackOp, RefusesShapesThatContradict) {
  EXPECT_EQ(
      Infer("[1,3];[2,3]", 2, 0),
      Refusal("input:values.1", "all values must have the same shape, but tensor 0 is [1,3] and tensor 1 is [2,3]"));
}

}  // namespace
}  // namespace list_ops_test
