// tests/host/cli/compare_jacobians_test.cc: where a Jacobian is wrong, and what it looks like.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "host/cli/gradcheck/gradcheck.h"

namespace opsrun::host {
namespace {

constexpr double kTolerance = 1e-6;

Jacobian Matrix(size_t rows, size_t columns, std::vector<double> entries) {
  return {rows, columns, std::move(entries)};
}

// What is said of a feed of that shape, whose columns are all there are.
std::string Said(const Shape& shape, const Jacobian& declared, const Jacobian& measured) {
  return DescribeDifference(declared, measured, 0, *Tensor::Create(DType::kFloat64, shape), kTolerance);
}

TEST(CompareJacobians, FindsTheEntryThatIsFurthestOffAndTakesNoNaNForRight) {
  const JacobianDifference difference = CompareJacobians(Matrix(2, 2, {1, 2, 3, 40}), Matrix(2, 2, {1, 2.5, 3, 20}));
  EXPECT_EQ(difference.row, 1u);
  EXPECT_EQ(difference.column, 1u);
  EXPECT_EQ(difference.worst, 1);  // 20 of 20
  EXPECT_EQ(difference.declared, 40);
  EXPECT_FALSE(std::isfinite(CompareJacobians(Matrix(1, 2, {1, NAN}), Matrix(1, 2, {1, 2})).worst));
}

// The other patterns are in tests/graphs/gradcheck_zoo.err.
TEST(DescribeDifference, KnowsATransposedMatrixAndAPathTooMany) {
  const std::vector<double> right = {1, 2, 3, 4}, transposed = {1, 3, 2, 4};
  EXPECT_EQ(Said({2, 2}, Matrix(1, 4, transposed), Matrix(1, 4, right)),
            "it would be right if the gradient were transposed");
  EXPECT_EQ(Said({1}, Matrix(1, 1, {3}), Matrix(1, 1, {0})),
            "the outputs do not depend on the input, but the declared gradient is not zero");
}

TEST(RealParts, AreTwoOfAComplexNumberAndRoundedToTheType) {
  const Tensor tensor = *FromRealParts(DType::kComplex64, {2}, {1, 2, 3, 4.5});
  EXPECT_EQ(tensor.num_elements(), 2);
  EXPECT_EQ(RealParts(tensor), (std::vector<double>{1, 2, 3, 4.5}));
  EXPECT_EQ(PreciseType(DType::kComplex64), DType::kComplex128);
  EXPECT_EQ(RealParts(*FromRealParts(DType::kBFloat16, {1}, {1.001})), std::vector<double>{1});
  EXPECT_EQ(PreciseType(DType::kFloat16), DType::kFloat64);
}

}  // namespace
}  // namespace opsrun::host
