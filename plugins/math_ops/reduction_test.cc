// plugins/math_ops/reduction_test.cc: reductions along axes, SumToShape, ArgMax and Softmax. That their numbers agree
// with NumPy's is tested by tests/numpy/reduce_ops.py.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <complex>
#include <limits>

#include "opsrun/testing.h"

namespace {

using namespace opsrun::test;

TEST(SumShape, LosesTheAxes) {
  ShapeInferenceTestOp op("Sum");
  INFER_OK(op, "[2,?,4];?", "?");
  op.Value<int32_t>(1, {2}, {0, -1});
  INFER_OK(op, "[2,?,4];[2]", "[d0_1]");
  INFER_OK(op, "?;[2]", "?");
  op.Attr("keep_dims", true);
  INFER_OK(op, "[2,?,4];[2]", "[1,d0_1,1]");
}

TEST(SumToShapeShape, IsWhatTheInputHolds) {
  ShapeInferenceTestOp op("SumToShape");
  INFER_OK(op, "[2,3];[?]", "?");
  op.ValueAsShape(1, "[1,?]");
  INFER_OK(op, "[5,2,3];[2]", "[1,?]");
  op.Value<int32_t>(1, {1}, {4});
  INFER_ERROR("input:shape: the shape [4] cannot be broadcast to the input's shape [2,3]", op, "[2,3];[1]");
  INFER_ERROR("input:shape: the shape [4] cannot be broadcast to the input's shape []", op, "[];[1]");
}

TEST(ReducedShapeShape, KnowsItsValue) {
  ShapeInferenceTestOp op("ReducedShape");
  INFER_OK(op, "[3];[1]", "in0");
  op.Value<int32_t>(1, {1}, {5});
  INFER_ERROR("there is no axis 5 in a tensor of rank 3", op, "[3];[1]");
}

TEST(ArgMaxShape, LosesTheDimension) {
  ShapeInferenceTestOp op("ArgMax");
  INFER_OK(op, "[2,?,4];[]", "[?,?]");
  op.Value<int32_t>(1, {}, {-2});
  INFER_OK(op, "[2,?,4];[]", "[d0_0,d0_2]");
}

TEST(SoftmaxShape, IsThatOfTheLogits) {
  ShapeInferenceTestOp op("Softmax");
  INFER_OK(op, "[2,?]", "in0");
  INFER_ERROR("input:logits", op, "[]");
}

class Reductions : public OpTest {
 protected:
  template <typename T>
  void Gives(const char* op, const std::vector<T>& input, const T& output) {
    Op(op).Input({static_cast<int64_t>(input.size())}, input).Input(ArrayOf<int32_t>({}, {0}));
    RunGives<T>(0, {}, {output});
  }
};

TEST_F(Reductions, OfNoElementsGiveTheNeutralOne) {
  Gives<float>("Sum", {}, 0);
  Gives<float>("Prod", {}, 1);
  Gives<float>("Mean", {}, NAN);
  Gives<std::complex<float>>("Mean", {}, {NAN, NAN});
  Gives<std::complex<float>>("Prod", {}, 1);
  Gives<float>("Max", {}, -INFINITY);
  Gives<Half>("Min", {}, INFINITY);
  Gives<int8_t>("Max", {}, -128);
  Gives<uint8_t>("Min", {}, 255);
  Gives<bool>("All", {}, true);
  Gives<bool>("Any", {}, false);
}

TEST_F(Reductions, RefuseTheMeanOfNoIntegers) {
  Op("Mean").Input<int32_t>({0}, {}).Input<int32_t>({}, {0}).Fed();
  RunFails("input:input: integers have no mean if there are none");
}

TEST_F(Reductions, WrapIntegers) {
  Gives<int8_t>("Sum", {127, 2}, -127);
  Gives<uint8_t>("Prod", {16, 16}, 0);
}

TEST_F(Reductions, AddManyNumbersExactly) {
  // Sequential sums would stop at 2048 in half precision, and at 2^24 in single precision.
  Gives<Half>("Sum", std::vector<Half>(4096, 1), 4096);
  std::vector<float> floats((1 << 24) + 1000, 1);
  Gives<float>("Sum", floats, (1 << 24) + 1000);
}

TEST_F(Reductions, OfManyComplexNumbers) {  // on a GPU, in two launches
  typedef std::complex<double> T;
  const std::vector<T> input(10001, {1, -2}), units(10001, {0, 1});
  Gives<T>("Sum", input, {10001, -20002});
  Gives<T>("Mean", input, {1, -2});
  Gives<T>("Prod", units, {0, 1});
  Op("SumToShape").Input<T>({10001}, input).Input<int32_t>({0}, {});
  RunGives<T>(0, {}, {{10001, -20002}});
  Op("BiasAddGrad").Input<T>({10001, 1}, input);
  RunGives<T>(0, {1}, {{10001, -20002}});
}

TEST_F(Reductions, DoNotDependOnTheNumberOfThreads) {
  std::vector<float> input(600000), once;
  for (size_t i = 0; i < input.size(); ++i) input[i] = 1.f / static_cast<float>(i + 1);
  for (const int64_t columns : {1, 2, 3000}) {
    const Shape shape = {static_cast<int64_t>(input.size()) / columns, columns};
    for (const int threads : {1, 4}) {
      Op("Sum").Input<float>(shape, input).Input<int32_t>({}, {0}).Fed();
      Threads(threads);
      if (threads > 1) CutLoops();
      Run();
      if (threads == 1) {
        once = Output(0).Values<float>();
      } else {
        ExpectOutput<float>(0, {columns}, once);
      }
    }
  }
}

TEST_F(Reductions, ProdOfOthersLeavesOutOneFactorEvenIfItIsZero) {
  Op("ProdOfOthers").Input<double>({2, 3}, {2, 3, 5, 0, 7, 0}).Input<int32_t>({}, {1});
  RunGives<double>(0, {2, 3}, {15, 10, 6, 0, 0, 0});
  Op("ProdOfOthersGrad").Input<double>({3}, {1, 10, 100}).Input<double>({3}, {2, 0, 5}).Input<int32_t>({}, {0});
  Run();
  // At 0: 10 * 5 + 100 * 0; at 1: 1 * 5 + 100 * 2; at 2: 1 * 0 + 10 * 2.
  ExpectOutput<double>(0, {3}, {50, 205, 20});
}

TEST_F(Reductions, EuclideanNormDropsTheFractionOfIntegers) {
  Op("EuclideanNorm").Input<int8_t>({2, 3}, {-100, 0, 5, 1, 1, 1}).Input<int32_t>({}, {1});
  RunGives<int8_t>(0, {2}, {100, 1});
  const int64_t large = int64_t{1} << 61;
  Op("EuclideanNorm").Input<int64_t>({2}, {3 * large, INT64_MIN + 1}).Input<int32_t>({0}, {}).Attr("keep_dims", true);
  RunGives<int64_t>(0, {2}, {3 * large, INT64_MAX});
  Op("EuclideanNorm").Input<int64_t>({2}, {-3 * (large / 2), 4 * (large / 2)}).Input<int32_t>({}, {0});
  RunGives<int64_t>(0, {}, {5 * (large / 2)});
}

TEST_F(Reductions, EuclideanNormHasRoomForSquares) {
  Op("EuclideanNorm").Input<float>({2}, {3e38f, 0}).Input<int32_t>({}, {0});
  RunGives<float>(0, {}, {3e38f});
  Op("EuclideanNorm").Input<Half>({2}, {3e-6f, 4e-6f}).Input<int32_t>({}, {0});
  Run();
  ExpectOutputNear<Half>(0, {}, {5e-6f}, {0, 1e-7});
  Op("EuclideanNorm").Input<std::complex<float>>({2}, {{3e30f, 4e30f}, {0, 0}}).Input<int32_t>({0}, {});
  RunGives<std::complex<float>>(0, {2}, {{5e30f, 0}, {0, 0}});
}

TEST_F(Reductions, L2LossRoundsOnce) {
  Op("L2Loss").Input<BFloat16>({2000, 5}, std::vector<BFloat16>(10000, BFloat16(1)));
  Threads(4);
  CutLoops();
  RunGives<BFloat16>(0, {}, {BFloat16(5000)});
}

TEST_F(Reductions, ArgMaxIsTheFirst) {
  Op("ArgMax").Input<int32_t>({2, 3}, {1, 5, 5, -1, -3, -1}).Input<int32_t>({}, {-1});
  RunGives<int64_t>(0, {2}, {1, 0});
  Op("ArgMin").Input<float>({2, 2}, {1, NAN, 1, NAN}).Input<int64_t>({}, {0}).Attr("output_type", "int16");
  RunGives<int16_t>(0, {2}, {0, 0});
  Op("ArgMax").Input<float>({4}, {1, NAN, INFINITY, NAN}).Input<int64_t>({}, {0});
  RunGives<int64_t>(0, {}, {1});
}

// Lines are searched in blocks and vectors, so the tests put the best element at each of their boundaries.
template <typename T>
std::vector<int64_t> PlacesWorthTrying(int64_t size) {
  std::vector<int64_t> places = {0, size / 2, size - 1};
  const int64_t block = 4096 / sizeof(T);
  for (const int64_t border : {int64_t{16}, int64_t{32}, int64_t{64}, block, 2 * block}) {
    for (const int64_t place : {border - 1, border}) {
      if (place < size) places.push_back(place);
    }
  }
  return places;
}

template <typename T>
class ArgMaxOfLines : public Reductions {
 protected:
  // Two lines: the best of the first is at `place`; all elements of the second are equal.
  void Check(int64_t size, int64_t place, T best, T other) {
    std::vector<T> numbers(static_cast<size_t>(2 * size), other);
    numbers[static_cast<size_t>(place)] = best;
    if (place + 1 < size) numbers[static_cast<size_t>(size - 1)] = best;  // a second one, after the first
    Op("ArgMax").template Input<T>({2, size}, numbers).template Input<int32_t>({}, {1});
    RunGives<int64_t>(0, {2}, {place, 0});
  }
};
typedef testing::Types<float, double, int32_t, int64_t, uint8_t, uint64_t> LineTypes;
TYPED_TEST_SUITE(ArgMaxOfLines, LineTypes);

TYPED_TEST(ArgMaxOfLines, FindTheFirstWhereverItIs) {
  typedef std::numeric_limits<TypeParam> Limits;
  const int64_t block = 4096 / sizeof(TypeParam);
  for (const int64_t size :
       {int64_t{1}, int64_t{2}, int64_t{16}, int64_t{17}, int64_t{63}, block - 1, block, block + 1, 3 * block}) {
    for (const int64_t place : PlacesWorthTrying<TypeParam>(size)) {
      SCOPED_TRACE(place);
      this->Check(size, place, TypeParam(3), TypeParam(2));
      this->Check(size, place, Limits::max(), Limits::lowest());
      if constexpr (Limits::has_quiet_NaN) this->Check(size, place, Limits::quiet_NaN(), Limits::infinity());
    }
  }
}

TEST_F(Reductions, ArgMinOfColumnsIsTheFirstOfManyEqualOnes) {
  constexpr int64_t kRows = 9000;
  std::vector<float> numbers(3 * kRows, 2);
  for (const int64_t row : {4000, 4001, 8999}) numbers[static_cast<size_t>(3 * row + 1)] = 1;
  for (const int64_t row : {8000, 8500}) numbers[static_cast<size_t>(3 * row + 2)] = NAN;
  Op("ArgMin").Input<float>({kRows, 3}, numbers).Input<int32_t>({}, {0}).Attr("output_type", "uint16");
  RunGives<uint16_t>(0, {3}, {0, 4000, 8000});
}

TEST_F(Reductions, ArgMaxFindsElementsThatNoneIsBetterThan) {
  Op("ArgMax")
      .Input<float>({2, 2}, std::vector<float>(4, -INFINITY))
      .Input<int32_t>({}, {0})
      .Attr("output_type", "int32");
  RunGives<int32_t>(0, {2}, {0, 0});
  Op("ArgMax").Input<uint8_t>({1, 1, 3}, {0, 0, 0}).Input<int32_t>({}, {1});
  RunGives<int64_t>(0, {1, 3}, {0, 0, 0});
}

TEST_F(Reductions, ArgMaxRefusesDimensionsThatItCannotCount) {
  Op("ArgMax").Input<float>({0, 2}, {}).Input<int32_t>({}, {0}).Fed();
  RunFails("input:input: the dimension has no elements, so none of them is the largest");
  Op("ArgMin").Input<int8_t>({40000}, std::vector<int8_t>(40000)).Input<int32_t>({}, {0}).Attr("output_type", "int16");
  RunFails("the dimension has 40000 elements, more than int16 can count; set output_type: int64");
}

TEST_F(Reductions, SoftmaxDoesNotOverflow) {
  Op("Softmax").Input<float>({2, 2}, {1000, 1000, -1000, 1000});
  RunGives<float>(0, {2, 2}, {0.5f, 0.5f, 0, 1});
  Op("LogSoftmax").Input<double>({2}, {-1000, 1000});
  RunGives<double>(0, {2}, {-2000, 0});
}

}  // namespace
