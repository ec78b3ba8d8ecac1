// plugins/list_ops/list_ops_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "list_ops_test.h"

#include <complex>
#include <numeric>

namespace list_ops_test {
namespace {

const std::string kOneShape = "all inputs must have the same shape, but tensor ";

TEST(AddNShape, IsWhatAllInputsKnowTogether) {
  ShapeInferenceTestOp op("AddN");
  INFER_OK(op, "[2,?]", "in0");
  INFER_OK(op, "[2,?];[?,3]", "[d0_0,d1_1]");
  INFER_OK(op, "?;[2,?];?", "in1");
  INFER_OK(op, "?;?", "in0");
}

TEST(AddNShape, RefusesShapesThatContradict) {
  ShapeInferenceTestOp op("AddN");
  INFER_ERROR(kWrong + "input:inputs.2: " + kOneShape + "0 is [2] and tensor 2 is [3]", op, "[2];?;[3]");
  INFER_ERROR(kWrong + "input:inputs.2: " + kOneShape + "0 is [?] and tensor 2 is [2,1]", op, "[?];[2];[2,1]");
  INFER_ERROR(kWrong + "input:inputs.3: " + kOneShape + "2 is [?,4] and tensor 3 is [2,5]", op, "?;[2,?];[?,4];[2,5]");
}

struct AddNOp : ListTest {
  template <typename T>
  void AddsOneAndTwo() {
    Op("AddN").Input(ArrayOf<T>({1}, {T(1)})).Input(ArrayOf<T>({1}, {T(2)}));
    Run();
    ExpectOutput<T>(0, {1}, {T(3)});
  }
  template <typename... Numbers>
  void HasAKernelForEach() {
    EXPECT_EQ(sizeof...(Numbers), NumberTypes().size());
    (AddsOneAndTwo<Numbers>(), ...);
  }
};

TEST_F(AddNOp, AddsElementByElement) {
  Op("AddN").Input<float>({2, 1}, {1, 2}).Input<float>({2, 1}, {10, 20}).Input<float>({2, 1}, {0.5, -2});
  Run();
  ExpectOutput<float>(0, {2, 1}, {11.5, 20});
}

TEST_F(AddNOp, WrapsIntegers) {
  Op("AddN").Input<int8_t>({2}, {127, -128}).Input<int8_t>({2}, {1, -1}).Input<int8_t>({2}, {1, 0});
  Run();
  ExpectOutput<int8_t>(0, {2}, {-127, 127});
  Op("AddN").Input<int64_t>({}, {INT64_MAX}).Input<int64_t>({}, {1});
  Run();
  ExpectOutput<int64_t>(0, {}, {INT64_MIN});
}

TEST_F(AddNOp, AddsComplexNumbers) {
  using Complex = std::complex<float>;
  Op("AddN").Input<Complex>({1}, {{1, 2}}).Input<Complex>({1}, {{0, 5}});
  Run();
  ExpectOutput<Complex>(0, {1}, {{1, 7}});
}

TEST_F(AddNOp, AddsManyTerms) {
  std::vector<Array> ones(300, ArrayOf<Half>({3}, {1, 2, -0.5})), counts(129, ArrayOf<int8_t>({1}, {1}));
  Op("AddN").Inputs(ones);
  Run();
  ExpectOutput<Half>(0, {3}, {300, 600, -150});
  Op("AddN").Inputs(counts);
  Run();
  ExpectOutput<int8_t>(0, {1}, {-127});
}

TEST_F(AddNOp, RoundsAFloat16Once) {
  // Each step alone would round back to 2048.
  Op("AddN").Input<Half>({1}, {2048}).Input<Half>({1}, {1}).Input<Half>({1}, {1});
  Run();
  ExpectOutput<Half>(0, {1}, {Half::FromBits(0x6801)});
}

TEST_F(AddNOp, WritesIntoAnInputThatNobodyReadsAnyMore) {
  Device("cpu");  // on a GPU, the first two inputs are copies that nobody else reads
  std::vector<int32_t> count(5000), three_times(5000);
  std::iota(count.begin(), count.end(), 0);
  for (size_t i = 0; i < count.size(); ++i) three_times[i] = 3 * count[i];
  const Array array = ArrayOf<int32_t>({5000}, count);
  Op("AddN").Input(array).Input(array).FedShapeless().Input(array).Late();
  Run();
  EXPECT_TRUE(Forwarded(0, 2));
  ExpectOutput<int32_t>(0, {5000}, three_times);
}

TEST_F(AddNOp, TakesEmptyTensors) {
  Op("AddN").Input<double>({0, 2}, {}).Input<double>({0, 2}, {});
  Run();
  ExpectOutput<double>(0, {0, 2}, {});
}

TEST_F(AddNOp, NamesTheTensorOfAnotherShape) {
  Op("AddN").Input<float>({2}, {1, 2}).Input<float>({2}, {1, 2}).Input<float>({1}, {1}).Late();
  RunFails(kWrong + "input:inputs.2: " + kOneShape + "0 is [2] and tensor 2 is [1]");
}

TEST_F(AddNOp, HasAKernelForEveryNumber) {
  HasAKernelForEach<float, double, Half, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                    uint64_t, std::complex<float>, std::complex<double>>();
}

TEST(IdentityNShape, IsEachInputs) {
  INFER_OK(ShapeInferenceTestOp("IdentityN"), "[2,?];?", "in0;in1");
}

struct IdentityNOp : ListTest {};

TEST_F(IdentityNOp, GivesEachInputAsItIs) {
  Op("IdentityN").Input<int32_t>({2}, {7, 8}).Late().Input<bool>({}, {true});
  Run();
  EXPECT_TRUE(Forwarded(0, 0));
  ExpectOutput<int32_t>(0, {2}, {7, 8});
  ExpectOutput<bool>(1, {}, {true});
}

TEST_F(IdentityNOp, TakesStrings) {
  Op("IdentityN").Input<int32_t>({2}, {7, 8}).Late().Input<std::string>({}, {"nine"});
  Run();
  ExpectOutput<int32_t>(0, {2}, {7, 8});
  ExpectOutput<std::string>(1, {}, {"nine"});
}

}  // namespace

}  // namespace list_ops_test
