// plugins/math_ops/matmul_test.cc: MatMul, as the plugin's users get it.
// SPDX-License-Identifier: Apache-2.0
#include <complex>

#include "linear_ops_test.h"

namespace linear_ops_test {
namespace {

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

  template <typename T>
  void MultipliesSmallNumbers() {
    MatMul<T>({2, 3}, {T(1), T(2), T(3), T(4), T(5), T(6)}, {3, 1}, {T(1), T(0), T(2)});
    Run();
    ExpectOutput<T>(0, {2, 1}, {T(7), T(16)});
  }
};

TEST_F(MatMulOp, MultipliesMatricesOfEveryType) {
  MultipliesSmallNumbers<Half>();
  MultipliesSmallNumbers<BFloat16>();
  MultipliesSmallNumbers<float>();
  MultipliesSmallNumbers<double>();
  MultipliesSmallNumbers<int32_t>();
  MultipliesSmallNumbers<int64_t>();
  MultipliesSmallNumbers<std::complex<float>>();
  MultipliesSmallNumbers<std::complex<double>>();
}

// a and b with all transposes, against the naive loops; the sizes are those of the product.
template <typename T>
struct Naive {
  int64_t m, k, n;
  bool transpose_a, transpose_b;
  std::vector<T> a, b;

  T A(int64_t i, int64_t p) const { return a[static_cast<size_t>(transpose_a ? p * m + i : i * k + p)]; }
  T B(int64_t p, int64_t j) const { return b[static_cast<size_t>(transpose_b ? j * k + p : p * n + j)]; }
  Shape AShape() const { return transpose_a ? Shape{k, m} : Shape{m, k}; }
  Shape BShape() const { return transpose_b ? Shape{n, k} : Shape{k, n}; }
  std::vector<T> Product() const {
    std::vector<T> product;
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        T sum = T();
        for (int64_t p = 0; p < k; ++p) sum += A(i, p) * B(p, j);
        product.push_back(sum);
      }
    }
    return product;
  }
};

struct MatMulRandom : MatMulOp {
  template <typename T>
  void AgreesWithNaiveLoops(uint32_t seed) {
    SmallNumbers random(seed);
    for (int i = 0; i < 16; ++i) {
      Naive<T> naive = {random.Below(70), random.Below(70), random.Below(70), i % 2 == 0, i % 4 < 2, {}, {}};
      naive.a = random.Values<T>(naive.AShape());
      naive.b = random.Values<T>(naive.BShape());
      Twist(&naive.a);
      MatMul<T>(naive.AShape(), naive.a, naive.BShape(), naive.b)
          .Attr("transpose_a", naive.transpose_a)
          .Attr("transpose_b", naive.transpose_b);
      Run();
      ExpectOutput<T>(0, {naive.m, naive.n}, naive.Product());
    }
  }
  template <typename T>
  static void Twist(std::vector<T>*) {}
  // Gives complex numbers an imaginary part.
  template <typename R>
  static void Twist(std::vector<std::complex<R>>* values) {
    for (std::complex<R>& x : *values) x = {x.real(), 3 - x.real()};
  }
};

TEST_F(MatMulRandom, AgreesWithNaiveLoops) {
  AgreesWithNaiveLoops<float>(1);
  AgreesWithNaiveLoops<double>(2);
  AgreesWithNaiveLoops<int32_t>(3);
  AgreesWithNaiveLoops<int64_t>(4);
  AgreesWithNaiveLoops<std::complex<double>>(6);
}

TEST_F(MatMulOp, WrapsIntegers) {
  MatMul<int32_t>({1, 2}, {INT32_MAX, INT32_MAX}, {2, 1}, {2, 1});
  Run();
  ExpectOutput<int32_t>(0, {1, 1}, {INT32_MAX - 2});
  MatMul<int64_t>({1, 1}, {INT64_MIN}, {1, 1}, {-1});
  Run();
  ExpectOutput<int64_t>(0, {1, 1}, {INT64_MIN});
}

TEST_F(MatMulOp, RoundsFloat16Once) {
  // 2048 + 1 + 1 in float16 would be 2048.
  MatMul<Half>({1, 3}, {2048, 1, 1}, {3, 1}, {1, 1, 1});
  Run();
  ExpectOutput<Half>(0, {1, 1}, {2050});
}

TEST_F(MatMulOp, GivesZerosForProductsOfNothing) {
  MatMul<float>({2, 0}, {}, {0, 3}, {});
  Run();
  ExpectOutput<float>(0, {2, 3}, std::vector<float>(6, 0));
  MatMul<std::complex<float>>({1, 0}, {}, {0, 1}, {});
  Run();
  ExpectOutput<std::complex<float>>(0, {1, 1}, {0});
}

TEST_F(MatMulOp, GivesNothingForNothing) {
  MatMul<float>({0, 2}, {}, {2, 3}, std::vector<float>(6, 1));
  Run();
  ExpectOutput<float>(0, {0, 3}, {});
  MatMul<Half>({3, 2}, std::vector<Half>(6, Half(1)), {2, 0}, {});
  Run();
  ExpectOutput<Half>(0, {3, 0}, {});
}

TEST_F(MatMulOp, PassesInfinitiesAndNaNsOn) {
  const float inf = INFINITY;
  MatMul<float>({2, 2}, {inf, 1, 0, 1}, {2, 1}, {1, 2});
  Run();
  ExpectOutput<float>(0, {2, 1}, {inf, 2});
  MatMul<float>({1, 2}, {inf, 0}, {2, 2}, {0, 1, 1, NAN});
  Run();
  ExpectOutput<float>(0, {1, 2}, {NAN, NAN});
}

TEST_F(MatMulOp, GivesTheSameHoweverItIsCut) {
  std::vector<float> values(600 * 600);
  for (size_t i = 0; i < values.size(); ++i) values[i] = 1.0F / static_cast<float>(i + 1);
  MatMul<float>({600, 600}, values, {600, 600}, values);
  Run();
  const Array whole = Output(0);
  CutLoops();
  Run();
  ExpectOutput(last(), 0, whole);
}

TEST_F(MatMulOp, NamesTheDimensionsThatDiffer) {
  MatMul<float>({2, 3}, std::vector<float>(6), {2, 3}, std::vector<float>(6)).Late();
  RunFails(kWrong +
           "input:a input:b: dimension 1 of a and dimension 0 of b must be equal, but the shapes are [2,3] and [2,3]");
  MatMul<float>({2}, {1, 2}, {2, 1}, {1, 2}).Late();
  RunFails(kWrong + "input:a: a must be a matrix, but its shape is [2]");
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
