// plugins/math_ops/elementwise_test.cc: element-wise ops: shapes, errors, edge cases. tests/numpy/math_ops.py compares
// their results with NumPy's.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <complex>
#include <limits>
#include <string_view>

#include "opsrun/testing.h"

namespace {

using namespace opsrun::test;

TEST(ElementwiseShape, IsThatOfTheInputsBroadcast) {
  INFER_OK(ShapeInferenceTestOp("Neg"), "[2,?]", "in0");
  ShapeInferenceTestOp op("Add");
  INFER_OK(op, "[2,?,4];[3,1]", "[d0_0,d1_0,d0_2]");
  INFER_OK(op, "[];[?]", "[d1_0]");
  INFER_ERROR("Shapes [2,3] and [4] cannot be broadcast together", op, "[2,3];[4]");
}

TEST(EqualShape, IsAScalarForShapesThatDoNotFit) {
  ShapeInferenceTestOp op("Equal");
  INFER_ERROR("cannot be broadcast together", op, "[2];[3]");
  op.Attr("incompatible_shape_error", false);
  INFER_OK(op, "[2];[3]", "?");
  INFER_OK(op, "[2,1];[3]", "[d0_0,d1_0]");
}

class ElementwiseOps : public OpTest {
 protected:
  template <typename T>
  void Gives(const char* op, const std::vector<T>& x, const std::vector<T>& y, const std::vector<T>& z) {
    const auto size = static_cast<int64_t>(x.size());
    Op(op).Input({size}, x).Input({size}, y);
    RunGives<T>(0, {size}, z);
  }
  template <typename T>
  void Gives(const char* op, const std::vector<T>& x, const std::vector<T>& y) {
    const auto size = static_cast<int64_t>(x.size());
    Op(op).Input<T>({size}, x);
    RunGives<T>(0, {size}, y);
  }
};

TEST_F(ElementwiseOps, WrapWhereAQuotientIsTooLarge) {
  Gives<int32_t>("Div", {INT32_MIN}, {-1}, {INT32_MIN});
  Gives<int64_t>("FloorDiv", {INT64_MIN}, {-1}, {INT64_MIN});
  Gives<int8_t>("Mod", {-128}, {-1}, {0});
  Gives<int64_t>("FloorMod", {INT64_MIN}, {-1}, {0});
}

TEST_F(ElementwiseOps, DivideFloatsByZero) {
  Gives<float>("Div", {1, -1}, {0, 0}, {INFINITY, -INFINITY});
  Gives<double>("FloorDiv", {-1}, {2}, {-1});
}

TEST_F(ElementwiseOps, ClipToBoundsOfOneOrOfEachElement) {
  const auto clip = [&](const std::vector<float>& lower, const std::vector<float>& upper, const std::vector<float>& y) {
    const auto shape = [](const std::vector<float>& bound) {
      return bound.size() == 1 ? std::vector<int64_t>{} : std::vector<int64_t>{2, 2};
    };
    Op("ClipByValue").Input<float>({2, 2}, {-1, 2, NAN, 9}).Input(shape(lower), lower).Input(shape(upper), upper);
    RunGives<float>(0, {2, 2}, y);
  };
  clip({0}, {5}, {0, 2, NAN, 5});
  clip({0, 3, 0, 0}, {5}, {0, 3, NAN, 5});
  clip({0}, {5, 1, 5, 8}, {0, 1, NAN, 8});
  clip({-3, 3, 0, 0}, {-2, 4, 5, 9}, {-2, 3, NAN, 9});
  clip({NAN}, {5}, {-1, 2, NAN, 5});
  clip({4}, {1}, {4, 4, NAN, 4});
}

TEST(ClipShape, IsThatOfTheTensor) {
  ShapeInferenceTestOp op("ClipByValue");
  INFER_OK(op, "[2,?];[];[]", "in0");
  INFER_OK(op, "[2,?];[?,3];?", "[d0_0,d1_1]");
  INFER_OK(op, "?;[2];[]", "in1");
}

TEST_F(ElementwiseOps, RoundFloatsOfTwoBytesOnce) {
  // 1 + 2^-11 is halfway between two halves, and the square of 1 + 2^-10 is slightly above such a midpoint.
  Gives<Half>("Square", {1 + 0x1p-10}, {1 + 0x1p-9});
  Gives<Half>("Add", {2048, 1}, {1, 0x1p-11}, {2048, 1});
  Gives<BFloat16>("Mul", {BFloat16(1.5)}, {BFloat16(1.5)}, {BFloat16(2.25)});
}

TEST_F(ElementwiseOps, RoundHalvesToEven) {
  Gives<float>("Round", {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 0x1p30f, INFINITY}, {0, 2, 2, -0.f, -2, 0x1p30f, INFINITY});
  Gives<double>("Floor", {-0.5, 0.9999999, 1e300, -1}, {-1, 0, 1e300, -1});
  Gives<Half>("Ceil", {-0.5, 0.25, 2}, {-0.0, 1, 2});
  Gives<int32_t>("Round", {-7}, {-7});
}

TEST_F(ElementwiseOps, KeepTheSignOfZero) {
  Op("Reciprocal").Input<float>({2}, {0.f, -0.f});
  RunGives<float>(0, {2}, {INFINITY, -INFINITY});
  for (const char* op : {"Sin", "Tan", "Tanh", "Expm1", "Log1p", "Sqrt", "Floor", "Ceil", "Round"}) {
    const Node zero = Op(op).Input<float>({1}, {-0.f});
    const Node reciprocal = Add("Reciprocal").Input(zero);
    RunGives(reciprocal, 0, ArrayOf<float>({1}, {-INFINITY}));
  }
}

TEST_F(ElementwiseOps, BroadcastInPartsOfAnySize) {
  std::vector<int32_t> x(120 * 90), y(3 * 90), z;
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int32_t>(i);
  for (size_t i = 0; i < y.size(); ++i) y[i] = static_cast<int32_t>(100000 * i);
  for (size_t i = 0; i < 3 * x.size(); ++i) z.push_back(x[i % x.size()] + y[i / x.size() * 90 + i % 90]);
  Op("Add").Input<int32_t>({1, 120, 90}, x).Input<int32_t>({3, 1, 90}, y);
  Threads(4);
  CutLoops();
  RunGives<int32_t>(0, {3, 120, 90}, z);
}

// Operands with short runs are read in blocks. The elements are numbered, so each shows where it was read.
TEST_F(ElementwiseOps, BroadcastManyShortRows) {
  constexpr int64_t kOuter = 3, kRows = 700, kRow = 3;
  std::vector<float> x(kOuter * kRows * kRow), of_row(kOuter * kRow), of_column(kRows), by_row(x.size()),
      by_column(x.size());
  for (size_t i = 0; i < of_row.size(); ++i) of_row[i] = static_cast<float>(i + 1) / 16;
  for (size_t i = 0; i < of_column.size(); ++i) of_column[i] = static_cast<float>(i) * 8192;
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i);
    by_row[i] = x[i] + of_row[i / (kRows * kRow) * kRow + i % kRow];
    by_column[i] = x[i] - of_column[i / kRow % kRows];
  }
  Op("Add").Input<float>({kOuter, kRows, kRow}, x).Input<float>({kOuter, 1, kRow}, of_row);
  RunGives<float>(0, {kOuter, kRows, kRow}, by_row);
  Op("Sub").Input<float>({kOuter, kRows, kRow}, x).Input<float>({kRows, 1}, of_column);
  RunGives<float>(0, {kOuter, kRows, kRow}, by_column);
  std::vector<int32_t> divisors(kRows, 1);
  divisors[600] = 0;
  Op("Div").Input<int32_t>({kRow}, {1, 2, 3}).Input<int32_t>({kRows, 1}, divisors).Fed();
  RunFails("input:y: y is 0, and integers cannot be divided by 0, at [600,0]");
}

TEST_F(ElementwiseOps, TakeTensorsWithoutElements) {
  Op("Mul").Input<float>({0, 3}, {}).Input<float>({1, 3}, {1, 2, 3});
  RunGives<float>(0, {0, 3}, {});
}

TEST_F(ElementwiseOps, TakeOverTheMemoryOfAnInput) {
  Op("Add").Input<float>({1}, {1}).Input<float>({2}, {2, 3}).Late();
  Run();
  EXPECT_TRUE(Forwarded(0, 1));
  ExpectOutput<float>(0, {2}, {3, 4});
}

TEST_F(ElementwiseOps, CompareTensorsOfShapesThatDoNotFit) {
  for (const bool equal : {true, false}) {
    Node node = Op(equal ? "Equal" : "NotEqual").Input<float>({2}, {1, 1}).Input<float>({3}, {1, 1, 1});
    node.Attr("incompatible_shape_error", false);
    RunGives<bool>(0, {}, {!equal});
  }
}

TEST_F(ElementwiseOps, RefusePartsOfAnotherType) {
  for (const char* op : {"Real", "Imag", "ComplexAbs"}) {
    Op(op).Input<std::complex<double>>({1}, {{3, -4}}).Attr("Tout", "float32");
    RunFails("complex128 consists of float64, not of float32");
  }
  Op("Complex").Input<double>({1}, {3}).Input<double>({1}, {4}).Attr("Tout", "complex64");
  RunFails("complex64 consists of float32, not of float64");
}

TEST_F(ElementwiseOps, MakeComplexNumbersOfBroadcastParts) {
  Op("Complex").Input<float>({2, 1}, {1, 2}).Input<float>({3}, {3, 4, 5});
  RunGives<std::complex<float>>(0, {2, 3}, {{1, 3}, {1, 4}, {1, 5}, {2, 3}, {2, 4}, {2, 5}});
  Op("Complex").Input<float>({3}, {NAN, INFINITY, 1}).Input<float>({}, {-INFINITY});
  RunGives<std::complex<float>>(0, {3}, {{NAN, -INFINITY}, {INFINITY, -INFINITY}, {1, -INFINITY}});
}

template <typename Part>
class ComplexOps : public ElementwiseOps {
 protected:
  typedef std::vector<std::complex<Part>> Numbers;
  void Gives(const char* op, const Numbers& x, const Numbers& y, const Numbers& z) {
    ElementwiseOps::Gives(op, x, y, z);
  }
  void Gives(const char* op, const Numbers& x, const Numbers& y) { ElementwiseOps::Gives(op, x, y); }

  static constexpr const char* kPart = sizeof(Part) == 4 ? "float32" : "float64";
  static constexpr Part kMax = std::numeric_limits<Part>::max(), kMin = std::numeric_limits<Part>::min();
};
typedef ::testing::Types<float, double> ComplexParts;
TYPED_TEST_SUITE(ComplexOps, ComplexParts);

TYPED_TEST(ComplexOps, ComputeBothParts) {
  const typename TestFixture::Numbers x = {{1, -2}, {INFINITY, 3}}, y = {{5, 7}, {1, -0.5}};
  this->Gives("Neg", x, {{-1, 2}, {-INFINITY, -3}});
  this->Gives("Conj", x, {{1, 2}, {INFINITY, -3}});
  for (const char* op : {"Add", "AddV2", "BiasAdd", "BiasAddV1"}) {
    this->Op(op).Input({1, 2}, x).Input({2}, y);
    this->template RunGives<std::complex<TypeParam>>(0, {1, 2}, {{6, 5}, {INFINITY, 2.5}});
  }
  this->Gives("Sub", x, y, {{-4, -9}, {INFINITY, 3.5}});
  for (const bool real : {true, false}) {
    this->Op(real ? "Real" : "Imag").Input({2}, y).Attr("Tout", this->kPart);
    this->template RunGives<TypeParam>(0, {2}, {TypeParam(real ? 5 : 7), TypeParam(real ? 1 : -0.5)});
  }
  const auto tests = [&](const char* op, bool of_infinite) {
    this->Op(op).Input({2}, x);
    this->template RunGives<bool>(0, {2}, {std::string_view(op) == "IsFinite", of_infinite});
  };
  tests("IsInf", true);
  tests("IsFinite", false);
  tests("IsNan", false);
}

TYPED_TEST(ComplexOps, DivideLargeAndSmallNumbersWithoutOverflow) {
  const TypeParam max = this->kMax, min = this->kMin;
  for (const char* op : {"Div", "RealDiv", "DivNoNan"}) {
    this->Gives(op, {{max, max}, {max, -max}, {min, min}, {0, min}, {3, 4}},
                {{max, max}, {0, max}, {min, min}, {min, 0}, {3, 4}}, {1, {-1, -1}, 1, {0, 1}, 1});
  }
  this->Gives("Reciprocal", {{0, 2}, {-4, 0}, {1, 1}}, {{0, -0.5}, -0.25, {0.5, -0.5}});
}

TYPED_TEST(ComplexOps, DivideByZeroAndInfinity) {
  const typename TestFixture::Numbers x = {{1, -1}, {0, 1}, 0, {1, 2}, {1, 2}}, y = {0, 0, 0, INFINITY, {0, -INFINITY}};
  this->Gives("Div", x, y, {{INFINITY, -INFINITY}, {NAN, INFINITY}, {NAN, NAN}, 0, 0});
  this->Gives("DivNoNan", x, y, {0, 0, 0, 0, 0});
  this->Gives("Reciprocal", {0}, {{INFINITY, NAN}});
}

// Unlike the products of std::complex; where products overflow, their difference is NaN.
TYPED_TEST(ComplexOps, MultiplyPartByPart) {
  const TypeParam max = this->kMax;
  this->Gives("Mul", {{2, 3}, {INFINITY, 0}, {max, max}}, {{2, -3}, 1, {max, max}},
              {13, {INFINITY, NAN}, {NAN, INFINITY}});
  this->Gives("Square", {{3, 4}, {max, max}}, {{-7, 24}, {0, INFINITY}});
  this->Gives("SquaredDifference", {{3, 4}, {1, 5}}, {0, {2, 4}}, {25, 2});
}

TYPED_TEST(ComplexOps, HaveALengthThatDoesNotOverflow) {
  const typename TestFixture::Numbers z = {{this->kMax, 0}, {0, -this->kMin}, {NAN, -INFINITY}, {NAN, 0}};
  this->Op("ComplexAbs").Input({4}, z).Attr("Tout", this->kPart);
  this->template RunGives<TypeParam>(0, {4}, {this->kMax, this->kMin, INFINITY, NAN});
}

TYPED_TEST(ComplexOps, AreEqualIfBothPartsAre) {
  const typename TestFixture::Numbers x = {{1, 2}, {1, 2}, {0, -0.}, {NAN, 0}}, y = {{1, 2}, {1, 3}, 0, {NAN, 0}};
  for (const bool equal : {true, false}) {
    this->Op(equal ? "Equal" : "NotEqual").Input({4}, x).Input({4}, y);
    this->template RunGives<bool>(0, {4}, {equal, !equal, equal, !equal});
  }
}

TEST(SelectShape, FollowsTensorFlowsOldRules) {
  ShapeInferenceTestOp op("Select");
  INFER_OK(op, "[];[2,?];[?,3]", "[d1_0,d2_1]");
  INFER_OK(op, "[?];[2,3];?", "[d1_0,d1_1]");
  INFER_OK(op, "[2,3];[?,?];[?,?]", "in0");
  INFER_ERROR("input:", op, "[3];[2,3];[2,3]");
  INFER_ERROR("input:", op, "[];[2,3];[3]");
  INFER_ERROR("input:", op, "[1,3];[2,3];[2,3]");
}

TEST(SelectV2Shape, IsBroadcast) {
  ShapeInferenceTestOp op("SelectV2");
  INFER_OK(op, "[4,1];[3];[]", "[d0_0,d1_0]");
  INFER_ERROR("cannot be broadcast together", op, "[2];[3];[]");
}

TEST_F(ElementwiseOps, SelectTakesAllByAScalar) {
  Op("Select").Input<bool>({}, {false}).Input<int8_t>({2}, {1, 2}).Input<int8_t>({2}, {5, 6});
  RunGives<int8_t>(0, {2}, {5, 6});
}

TEST_F(ElementwiseOps, SelectRefusesOtherShapesInARun) {
  Op("Select").Input<bool>({3}, {true, true, true}).Input<float>({2}, {1, 2}).Input<float>({2}, {1, 2}).Late();
  RunFails("input:condition: condition must be a scalar");
  Op("Select").Input<bool>({}, {true}).Input<float>({2}, {1, 2}).Input<float>({1}, {1}).Late();
  RunFails("input:e: t and e must have the same shape, but have [2] and [1]; use SelectV2 to broadcast them");
}

TEST_F(ElementwiseOps, SelectV2TakesOverTheMemoryOfAnInput) {
  Op("SelectV2").Input<bool>({2}, {true, false}).Input<float>({}, {1}).Input<float>({2}, {2, 3}).Late();
  Run();
  EXPECT_TRUE(Forwarded(0, 2));
  ExpectOutput<float>(0, {2}, {1, 3});
}

TEST(BiasAddShape, IsThatOfTheValue) {
  for (const char* name : {"BiasAdd", "BiasAddV1"}) {
    ShapeInferenceTestOp op(name);
    INFER_OK(op, "[2,?];[3]", "[d0_0,d1_0]");
    INFER_OK(op, "[2,?,?];?", "[d0_0,d0_1,d0_2]");
    INFER_OK(op, "?;[3]", "?");
    INFER_ERROR("must be rank 1 but is rank 2", op, "[2,3];[1,3]");
  }
}

TEST(BiasAddShape, HasChannelsInDimension1ForNchw) {
  ShapeInferenceTestOp op("BiasAdd");
  op.Attr("data_format", "NCHW");
  INFER_OK(op, "[2,?,4,5];[3]", "[d0_0,d1_0,d0_2,d0_3]");
  INFER_OK(op, "[2,?];[3]", "[d0_0,d1_0]");
}

TEST(BiasAddGradShape, IsAVectorOfChannels) {
  ShapeInferenceTestOp op("BiasAddGrad");
  INFER_OK(op, "[2,3,?]", "[d0_2]");
  INFER_OK(op, "?", "[?]");
  INFER_ERROR("must be at least rank 2", op, "[3]");
  op.Attr("data_format", "NCHW");
  INFER_OK(op, "[2,3,?]", "[d0_1]");
}

class Bias : public OpTest {};

TEST_F(Bias, TakesTensorsOfAnyRank) {
  for (const char* format : {"NHWC", "NCHW"}) {
    Op("BiasAdd").Input<float>({2, 2}, {1, 2, 3, 4}).Input<float>({2}, {10, 20}).Attr("data_format", format);
    RunGives<float>(0, {2, 2}, {11, 22, 13, 24});
    Op("BiasAddGrad").Input<float>({1, 1, 1, 1, 1, 1}, {3}).Attr("data_format", format);
    RunGives<float>(0, {1}, {3});
  }
}

TEST_F(Bias, RoundsSumsOfSixteenBitsOnce) {
  Op("BiasAddGrad").Input<Half>({5000, 1}, std::vector<Half>(5000, 1));
  RunGives<Half>(0, {1}, {5000});
}

TEST_F(Bias, TakesOverTheMemoryOfTheValue) {
  Op("BiasAdd").Input<float>({2, 2}, {1, 2, 3, 4}).Input<float>({2}, {1, 2}).Late();
  Run();
  EXPECT_TRUE(Forwarded(0, 0));
}

}  // namespace
