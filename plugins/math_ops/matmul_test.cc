// plugins/math_ops/matmul_test.cc: MatMul as users run it.
// SPDX-License-Identifier: Apache-2.0
#include <complex>

#include "opsrun/testing.h"

namespace {

using namespace opsrun::test;

const std::string kWrongMatrix = "INVALID_ARGUMENT: ";

TEST(MatMulShape, IsThatOfTheOuterDimensions) {
  ShapeInferenceTestOp op("MatMul");
  INFER_OK(op, "[2,?];[?,3]", "[d0_0,d1_1]");
  INFER_OK(op, "?;[?,3]", "[?,d1_1]");
  op.Attr("transpose_a", true).Attr("transpose_b", true);
  INFER_OK(op, "[5,2];[3,5]", "[d0_1,d1_0]");
}

TEST(MatMulShape, RefusesWhatCannotBeMultiplied) {
  ShapeInferenceTestOp op("MatMul");
  INFER_ERROR("Dimensions must be equal, got 3 and 4", op, "[2,3];[4,2]");
  INFER_ERROR("input:a", op, "[2];[2,2]");
  INFER_ERROR("input:b", op, "[2,2];[2,2,2]");
}

struct MatMulOp : OpTest {
  template <typename T>
  Node MatMul(const Shape& a_shape, const std::vector<T>& a, const Shape& b_shape, const std::vector<T>& b) {
    return Op("MatMul").Input<T>(a_shape, a).template Input<T>(b_shape, b);
  }
};

TEST_F(MatMulOp, WrapsIntegers) {
  MatMul<int32_t>({1, 2}, {INT32_MAX, INT32_MAX}, {2, 1}, {2, 1});
  RunGives<int32_t>(0, {1, 1}, {INT32_MAX - 2});
  MatMul<int64_t>({1, 1}, {INT64_MIN}, {1, 1}, {-1});
  RunGives<int64_t>(0, {1, 1}, {INT64_MIN});
}

TEST_F(MatMulOp, RoundsFloat16Once) {
  // Adding in float16 would give 2048.
  MatMul<Half>({1, 3}, {2048, 1, 1}, {3, 1}, {1, 1, 1});
  RunGives<Half>(0, {1, 1}, {2050});
}

TEST_F(MatMulOp, GivesZerosForProductsOfNothing) {
  MatMul<float>({2, 0}, {}, {0, 3}, {});
  RunGives<float>(0, {2, 3}, std::vector<float>(6, 0));
  MatMul<std::complex<float>>({1, 0}, {}, {0, 1}, {});
  RunGives<std::complex<float>>(0, {1, 1}, {0});
}

TEST_F(MatMulOp, GivesNothingForNothing) {
  MatMul<float>({0, 2}, {}, {2, 3}, std::vector<float>(6, 1));
  RunGives<float>(0, {0, 3}, {});
  MatMul<Half>({3, 2}, std::vector<Half>(6, Half(1)), {2, 0}, {});
  RunGives<Half>(0, {3, 0}, {});
}

TEST_F(MatMulOp, PassesInfinitiesAndNaNsOn) {
  const float inf = INFINITY;
  MatMul<float>({2, 2}, {inf, 1, 0, 1}, {2, 1}, {1, 2});
  RunGives<float>(0, {2, 1}, {inf, 2});
  MatMul<float>({1, 2}, {inf, 0}, {2, 2}, {0, 1, 1, NAN});
  RunGives<float>(0, {1, 2}, {NAN, NAN});
}

TEST_F(MatMulOp, GivesTheSameHoweverItIsCut) {
  std::vector<float> values(600 * 600);
  for (size_t i = 0; i < values.size(); ++i) values[i] = 1.0F / static_cast<float>(i + 1);
  MatMul<float>({600, 600}, values, {600, 600}, values);
  Run();
  const Array whole = Output(0);
  CutLoops();
  RunGives(last(), 0, whole);
}

TEST_F(MatMulOp, OfLargeMatricesAddsAllProducts) {
  constexpr int64_t kRows = 70, kDepth = 530, kColumns = 540;
  const auto a = [](int64_t i, int64_t k) { return static_cast<double>((i * 7 + k * 3) % 11 - 5); };
  const auto b = [](int64_t k, int64_t j) { return static_cast<double>((k * 5 + j * 2) % 13 - 6); };
  std::vector<double> left, right, product;
  for (int64_t i = 0; i < kRows * kDepth; ++i) left.push_back(a(i / kDepth, i % kDepth));
  for (int64_t i = 0; i < kDepth * kColumns; ++i) right.push_back(b(i / kColumns, i % kColumns));
  for (int64_t i = 0; i < kRows * kColumns; ++i) {
    double sum = 0;
    for (int64_t k = 0; k < kDepth; ++k) sum += a(i / kColumns, k) * b(k, i % kColumns);
    product.push_back(sum);
  }
  MatMul<double>({kRows, kDepth}, left, {kDepth, kColumns}, right);
  RunGives<double>(0, {kRows, kColumns}, product);
}

TEST_F(MatMulOp, NamesTheDimensionsThatDiffer) {
  MatMul<float>({2, 3}, std::vector<float>(6), {2, 3}, std::vector<float>(6)).Late();
  RunFails(kWrongMatrix +
           "input:a input:b: dimension 1 of a and dimension 0 of b must be equal, but the shapes are [2,3] and [2,3]");
  MatMul<float>({2}, {1, 2}, {2, 1}, {1, 2}).Late();
  RunFails(kWrongMatrix + "input:a: a must be a matrix, but its shape is [2]");
}

TEST(BatchMatMulShape, HasTheBatchOfBoth) {
  ShapeInferenceTestOp op("BatchMatMul");
  INFER_OK(op, "[7,2,?];[?,?,3]", "[d0_0,d0_1,d1_2]");
  INFER_OK(op, "?;[?,3]", "[?,d1_1]");
  INFER_OK(op, "?;?", "?");
  INFER_ERROR("7 and 8", op, "[7,2,3];[8,3,2]");
}

TEST(BatchMatMulShape, OfV2BroadcastsTheBatch) {
  ShapeInferenceTestOp op("BatchMatMulV2");
  INFER_OK(op, "[7,1,2,3];[5,3,4]", "[d0_0,d1_0,d0_2,d1_2]");
  INFER_OK(op, "[2,3];[5,3,4]", "[d1_0,d0_0,d1_2]");
  op.Attr("adj_x", true).Attr("adj_y", true);
  INFER_OK(op, "[3,2];[5,4,3]", "[d1_0,d0_1,d1_1]");
  INFER_ERROR("cannot be broadcast together", op, "[2,3,2];[5,4,3]");
  INFER_ERROR("input:x", op, "[2];[5,4,3]");
}

struct BatchMatMulOp : OpTest {};

TEST_F(BatchMatMulOp, GivesNothingForNothing) {
  Op("BatchMatMulV2").Input<Half>({0, 2, 3}, {}).Input<Half>({1, 3, 2}, std::vector<Half>(6, Half(1)));
  RunGives<Half>(0, {0, 2, 2}, {});
  constexpr int64_t kHuge = int64_t{1} << 40;
  Op("BatchMatMulV2").Input<float>({kHuge, 0, 3}, {}).Input<float>({3, 1}, {1, 2, 3});
  RunGives<float>(0, {kHuge, 0, 1}, {});
  Op("BatchMatMul").Input<float>({2, 1, 0}, {}).Input<float>({2, 0, 2}, {});
  RunGives<float>(0, {2, 1, 2}, {0, 0, 0, 0});
}

TEST_F(BatchMatMulOp, NamesShapesThatDoNotFit) {
  const std::string wrong = kWrongMatrix + "input:x input:y: ";
  const std::vector<float> six(6), twelve(12);
  Op("BatchMatMul").Input<float>({2, 1, 3}, six).Input<float>({2, 2, 3}, twelve).Late();
  RunFails(wrong + "matrices of x and y cannot be multiplied; the shapes are [2,1,3] and [2,2,3]");
  Op("BatchMatMul").Input<float>({2, 1, 3}, six).Input<float>({1, 3, 2}, six).Late();
  RunFails(wrong + "the dimensions before the last two must be equal; the shapes are [2,1,3] and [1,3,2]");
  Op("BatchMatMulV2").Input<float>({2, 1, 3}, six).Input<float>({4, 3, 1}, twelve).Late();
  RunFails(wrong + "the dimensions before the last two cannot be broadcast together; the shapes are [2,1,3] and");
  Op("BatchMatMulV2").Input<float>({6}, six).Input<float>({6, 1}, six).Late();
  RunFails(kWrongMatrix + "input:x: x must have at least 2 dimensions, but its shape is [6]");
}

}  // namespace
