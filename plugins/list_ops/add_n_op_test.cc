// plugins/list_ops/add_n_op_test.cc
// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <numeric>

#include "list_ops_test.h"

namespace list_ops_test {
namespace {

struct AddNOp : OpFixture {
  AddNOp() : OpFixture("AddN", "inputs", "sum") {}

  std::string Infer(const std::string& shapes, uint32_t n) {
    FakeShapeCall call(host_, shapes);
    return OpFixture::Infer(call, n);
  }
};

TEST_F(AddNOp, AddsElementByElement) {
  FakeCall call(host_);
  call.In<float>({2, 1}, {1, 2}).In<float>({2, 1}, {10, 20}).In<float>({2, 1}, {0.5, -2}).Out(OPSRUN_DT_FLOAT);
  EXPECT_EQ(Run(call, OPSRUN_DT_FLOAT), "ok");
  EXPECT_EQ(call.Shape(0), (Sizes{2, 1}));
  EXPECT_EQ(call.Values<float>(0), (std::vector<float>{11.5, 20}));
}

TEST_F(AddNOp, WrapsIntegers) {
  FakeCall small(host_), large(host_);
  small.In<int8_t>({2}, {127, -128}).In<int8_t>({2}, {1, -1}).In<int8_t>({2}, {1, 0}).Out(OPSRUN_DT_INT8);
  EXPECT_EQ(Run(small, OPSRUN_DT_INT8), "ok");
  EXPECT_EQ(small.Values<int8_t>(0), (std::vector<int8_t>{-127, 127}));
  large.In<int64_t>({}, {INT64_MAX}).In<int64_t>({}, {1}).Out(OPSRUN_DT_INT64);
  EXPECT_EQ(Run(large, OPSRUN_DT_INT64), "ok");
  EXPECT_EQ(large.Values<int64_t>(0), std::vector<int64_t>{INT64_MIN});
}

TEST_F(AddNOp, AddsComplexNumbers) {
  using Complex = std::complex<float>;
  FakeCall call(host_);
  call.In<Complex>({1}, {{1, 2}}, OPSRUN_DT_COMPLEX64).In<Complex>({1}, {{0, 5}}, OPSRUN_DT_COMPLEX64);
  EXPECT_EQ(Run(call.Out(OPSRUN_DT_COMPLEX64), OPSRUN_DT_COMPLEX64), "ok");
  EXPECT_EQ(call.Values<Complex>(0), (std::vector<Complex>{{1, 7}}));
}

TEST_F(AddNOp, RoundsAFloat16Once) {
  FakeCall call(host_);
  // 2048 + 1 + 1: each step alone would round back to 2048.
  for (uint16_t bits : {uint16_t{0x6800}, uint16_t{0x3c00}, uint16_t{0x3c00}}) {
    call.In<uint16_t>({1}, {bits}, OPSRUN_DT_HALF);
  }
  EXPECT_EQ(Run(call.Out(OPSRUN_DT_HALF), OPSRUN_DT_HALF), "ok");
  EXPECT_EQ(call.Values<uint16_t>(0), std::vector<uint16_t>{0x6801});
}

TEST_F(AddNOp, WritesIntoAnInputThatNobodyReadsAnyMore) {
  std::vector<int32_t> count(5000);
  std::iota(count.begin(), count.end(), 0);
  FakeCall call(host_);
  call.In<int32_t>({5000}, count).In<int32_t>({5000}, count).In<int32_t>({5000}, count).Out(OPSRUN_DT_INT32);
  EXPECT_EQ(Run(call.Forwardable(2), OPSRUN_DT_INT32), "ok");
  EXPECT_EQ(call.Output(0)->data, call.Input(2)->data);
  for (int32_t& i : count) i *= 3;
  EXPECT_EQ(call.Values<int32_t>(0), count);
}

TEST_F(AddNOp, TakesEmptyTensors) {
  FakeCall call(host_);
  EXPECT_EQ(Run(call.In<double>({0, 2}, {}).In<double>({0, 2}, {}).Out(OPSRUN_DT_DOUBLE), OPSRUN_DT_DOUBLE), "ok");
  EXPECT_EQ(call.Shape(0), (Sizes{0, 2}));
}

TEST_F(AddNOp, NamesTheTensorOfAnotherShape) {
  FakeCall call(host_);
  call.In<float>({2}, {1, 2}).In<float>({2}, {1, 2}).In<float>({1}, {1}).Out(OPSRUN_DT_FLOAT);
  EXPECT_EQ(Run(call, OPSRUN_DT_FLOAT),
            Refusal("input:inputs.2", "all inputs must have the same shape, but tensor 0 is [2] and tensor 2 is [1]"));
}

TEST_F(AddNOp, HasAKernelForEveryNumber) {
  EXPECT_TRUE(HasAKernelForEveryNumber());
}

TEST_F(AddNOp, InfersWhatAllInputsKnowTogether) {
  EXPECT_EQ(Infer("[2,?]", 1), "in0");
  EXPECT_EQ(Infer("[2,?];[?,3]", 2), "[d0_0,d1_1]");
  EXPECT_EQ(Infer("?;[2,?];?", 3), "in1");
  EXPECT_EQ(Infer("?;?", 2), "in0");
}

TEST_F(AddNOp, RefusesShapesThatContradict) {
  const std::string sentence = "all inputs must have the same shape, but tensor ";
  EXPECT_EQ(Infer("[2];?;[3]", 3), Refusal("input:inputs.2", sentence + "0 is [2] and tensor 2 is [3]"));
  EXPECT_EQ(Infer("[?];[2];[2,1]", 3), Refusal("input:inputs.2", sentence + "0 is [?] and tensor 2 is [2,1]"));
  EXPECT_EQ(Infer("?;[2,?];[?,4];[2,5]", 4), Refusal("input:inputs.3", sentence + "2 is [?,4] and tensor 3 is [2,5]"));
}

}  // namespace
}  // namespace list_ops_test
