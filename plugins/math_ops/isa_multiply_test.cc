// plugins/math_ops/isa_multiply_test.cc: products with every instruction set that this processor supports.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>
#include <type_traits>

#include "isa_kernels.h"

namespace math_ops {
namespace {

template <typename T>
struct Case {
  int64_t rows, depth, columns;
  bool a_transposed, b_transposed, add;
  std::vector<T> a, b, out;
};

// Small integers, so that the result does not depend on the order of summation; large ones for integers that wrap.
template <typename T>
std::vector<T> Random(int64_t n, std::mt19937_64& random) {
  std::vector<T> values(static_cast<size_t>(n));
  for (T& value : values) {
    value = std::is_integral_v<T> ? static_cast<T>(random()) : static_cast<T>(static_cast<int64_t>(random() % 17) - 8);
  }
  return values;
}

// Padding after each row of a matrix in memory.
constexpr int64_t kGap = 3;

template <typename T>
Case<T> RandomCase(std::mt19937_64& random) {
  const auto size = [&] { return static_cast<int64_t>(random() % (random() % 4 == 0 ? 300 : 24)); };
  Case<T> made = {size(), size(), size(), random() % 2 == 0, random() % 2 == 0, random() % 2 == 0, {}, {}, {}};
  made.a = Random<T>((made.rows + kGap) * (made.depth + kGap), random);
  made.b = Random<T>((made.depth + kGap) * (made.columns + kGap), random);
  made.out = Random<T>(made.rows * (made.columns + kGap), random);
  return made;
}

template <typename T>
Product<T> ProductOf(Case<T>& given) {
  const MatrixView<T> a = {given.a.data(), (given.a_transposed ? given.rows : given.depth) + kGap, given.a_transposed};
  const MatrixView<T> b = {given.b.data(), (given.b_transposed ? given.depth : given.columns) + kGap,
                           given.b_transposed};
  return {given.rows, given.depth, given.columns, a, b, given.out.data(), given.columns + kGap, given.add};
}

template <typename T>
void NaiveMultiply(const Product<T>& p) {
  for (int64_t i = 0; i < p.rows; ++i) {
    for (int64_t j = 0; j < p.columns; ++j) {
      T sum = p.add ? p.out[i * p.out_stride + j] : T{0};
      for (int64_t k = 0; k < p.depth; ++k) sum += *p.a.At(i, k).data * *p.b.At(k, j).data;
      p.out[i * p.out_stride + j] = sum;
    }
  }
}

template <typename T>
class Multiplies : public testing::Test {};
typedef testing::Types<float, double, uint32_t, uint64_t> Types;
TYPED_TEST_SUITE(Multiplies, Types);

TYPED_TEST(Multiplies, InEverySetAsTheNaiveLoops) {
  const std::vector<const Kernels*> sets = SupportedKernels();
  ASSERT_FALSE(sets.empty());
  std::mt19937_64 random(7);
  for (int i = 0; i < 60; ++i) {
    const Case<TypeParam> given = RandomCase<TypeParam>(random);
    Case<TypeParam> expected = given;
    NaiveMultiply(ProductOf(expected));
    for (const Kernels* kernels : sets) {
      Case<TypeParam> actual = given;
      std::get<Multiply<TypeParam>>(kernels->multiply)(ProductOf(actual));
      ASSERT_EQ(actual.out, expected.out)
          << kernels->name << ", case " << i << ": " << given.rows << " x " << given.depth << " x " << given.columns;
    }
  }
}

}  // namespace
}  // namespace math_ops
