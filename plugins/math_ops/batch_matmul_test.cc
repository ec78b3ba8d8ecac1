// plugins/math_ops/batch_matmul_test.cc: BatchMatMul and BatchMatMulV2, as the plugin's users get them.
// SPDX-License-Identifier: Apache-2.0
#include <complex>

#include "linear_ops_test.h"

namespace linear_ops_test {
namespace {

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

TEST_F(BatchMatMulOp, MultipliesEachPair) {
  Op("BatchMatMul").Input<float>({2, 1, 2}, {1, 2, 3, 4}).Input<float>({2, 2, 1}, {5, 6, 7, 8});
  Run();
  ExpectOutput<float>(0, {2, 1, 1}, {17, 53});
}

TEST_F(BatchMatMulOp, OfV2BroadcastsMatrices) {
  // numpy.matmul of shapes [2,1,1,2] and [3,2,1].
  Op("BatchMatMulV2").Input<int32_t>({2, 1, 1, 2}, {1, 2, 3, 4}).Input<int32_t>({3, 2, 1}, {1, 0, 0, 1, 1, 1});
  Run();
  ExpectOutput<int32_t>(0, {2, 3, 1, 1}, {1, 2, 3, 3, 4, 7});
}

TEST_F(BatchMatMulOp, TransposesAndConjugates) {
  using Complex = std::complex<double>;
  const std::vector<Complex> x = {{1, 2}, {0, 1}}, y = {{3, -1}, {2, 0}};
  Op("BatchMatMulV2").Input<Complex>({2, 1}, x).Input<Complex>({1, 2}, y).Attr("adj_x", true).Attr("adj_y", true);
  Run();
  ExpectOutput<Complex>(0, {1, 1}, {std::conj(x[0]) * std::conj(y[0]) + std::conj(x[1]) * std::conj(y[1])});
}

TEST_F(BatchMatMulOp, TransposesRealMatricesOnly) {
  SmallNumbers random(5);
  const std::vector<float> x = random.Values<float>({3, 4, 2}), y = random.Values<float>({3, 5, 4});
  std::vector<float> expected;
  for (size_t b = 0; b < 3; ++b) {
    for (size_t i = 0; i < 2; ++i) {
      for (size_t j = 0; j < 5; ++j) {
        float sum = 0;
        for (size_t k = 0; k < 4; ++k) sum += x[(b * 4 + k) * 2 + i] * y[(b * 5 + j) * 4 + k];
        expected.push_back(sum);
      }
    }
  }
  Op("BatchMatMul").Input<float>({3, 4, 2}, x).Input<float>({3, 5, 4}, y).Attr("adj_x", true).Attr("adj_y", true);
  Run();
  ExpectOutput<float>(0, {3, 2, 5}, expected);
}

TEST_F(BatchMatMulOp, GivesNothingForNothing) {
  Op("BatchMatMulV2").Input<Half>({0, 2, 3}, {}).Input<Half>({1, 3, 2}, std::vector<Half>(6, Half(1)));
  Run();
  ExpectOutput<Half>(0, {0, 2, 2}, {});
  constexpr int64_t kHuge = int64_t{1} << 40;
  Op("BatchMatMulV2").Input<float>({kHuge, 0, 3}, {}).Input<float>({3, 1}, {1, 2, 3});
  Run();
  ExpectOutput<float>(0, {kHuge, 0, 1}, {});
  Op("BatchMatMul").Input<float>({2, 1, 0}, {}).Input<float>({2, 0, 2}, {});
  Run();
  ExpectOutput<float>(0, {2, 1, 2}, {0, 0, 0, 0});
}

TEST_F(BatchMatMulOp, NamesShapesThatDoNotFit) {
  const std::string wrong = kWrong + "input:x input:y: ";
  const std::vector<float> six(6), twelve(12);
  Op("BatchMatMul").Input<float>({2, 1, 3}, six).Input<float>({2, 2, 3}, twelve).Late();
  RunFails(wrong + "matrices of x and y cannot be multiplied; the shapes are [2,1,3] and [2,2,3]");
  Op("BatchMatMul").Input<float>({2, 1, 3}, six).Input<float>({1, 3, 2}, six).Late();
  RunFails(wrong + "the dimensions before the last two must be equal; the shapes are [2,1,3] and [1,3,2]");
  Op("BatchMatMulV2").Input<float>({2, 1, 3}, six).Input<float>({4, 3, 1}, twelve).Late();
  RunFails(wrong + "the dimensions before the last two cannot be broadcast together; the shapes are [2,1,3] and");
  Op("BatchMatMulV2").Input<float>({6}, six).Input<float>({6, 1}, six).Late();
  RunFails(kWrong + "input:x: x must have at least 2 dimensions, but its shape is [6]");
}

}  // namespace
}  // namespace linear_ops_test
