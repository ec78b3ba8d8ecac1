// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

namespace opsrun::host {
namespace {

template <typename T>
Tensor Of(DType dtype, const std::vector<T>& values) {
  return *Tensor::CopyOf(dtype, {static_cast<int64_t>(values.size())}, values.data());
}

template <typename T>
Comparison Compare(DType dtype, const std::vector<T>& found, const std::vector<T>& expected, Tolerance tolerance = {}) {
  return CompareTensors(Of(dtype, found), Of(dtype, expected), tolerance);
}

TEST(CompareTensors, FindsTheElementFurthestBeyondItsTolerance) {
  const Comparison c = Compare<double>(DType::kFloat64, {1, 102, 3.5}, {1, 100, 3}, {0.01, 0, false});
  EXPECT_EQ(c.wrong, 2);
  EXPECT_EQ(c.place, 1);
  EXPECT_EQ(c.difference, 2);
  EXPECT_EQ(c.allowed, 1);
}

TEST(CompareTensors, TakesDifferencesOf64BitIntegersExactly) {
  constexpr int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(Compare<int64_t>(DType::kInt64, {most}, {most - 1}).difference, 1);
  EXPECT_EQ(Compare<int64_t>(DType::kInt64, {least}, {most}).difference, 0x1p64);
  EXPECT_EQ(Compare<uint64_t>(DType::kUInt64, {1}, {0}).difference, 1);
  EXPECT_EQ(Compare<int64_t>(DType::kInt64, {most}, {most - 1}, {0, 1, false}).wrong, 0);
}

TEST(CompareTensors, LetsNanEqualNanOnlyIfAskedAndInfinityNothingButItself) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const struct {
    double found, expected;
    Tolerance tolerance;
    int wrong;
  } rows[] = {{nan, nan, {1, 1, false}, 1}, {nan, nan, {0, 0, true}, 0},     {nan, 1, {1, 1, true}, 1},
              {infinity, infinity, {}, 0},  {1, infinity, {1, 1, false}, 1}, {-infinity, infinity, {1, 1, false}, 1}};
  for (const auto& row : rows) {
    EXPECT_EQ(Compare<double>(DType::kFloat64, {row.found}, {row.expected}, row.tolerance).wrong, row.wrong)
        << row.found << " and " << row.expected;
  }
}

TEST(CompareTensors, ComparesSmallFloatsAndComplexNumbersByValue) {
  EXPECT_EQ(Compare<uint16_t>(DType::kFloat16, {0x3c00}, {0x3c01}).difference, 0x1p-10);
  EXPECT_EQ(Compare<uint16_t>(DType::kFloat16, {0x8000}, {0}).wrong, 0);
  EXPECT_EQ(Compare<uint16_t>(DType::kBFloat16, {0x3f80}, {0x4000}).difference, 1);
  EXPECT_EQ(Compare<uint8_t>(DType::kFloat8E4M3FN, {0x38}, {0x39}).difference, 0.125);
  EXPECT_EQ(Compare<uint8_t>(DType::kFloat8E5M2, {0x80}, {0}).wrong, 0);
  EXPECT_EQ(Compare<std::complex<float>>(DType::kComplex64, {{3, 4}}, {{0, 0}}).difference, 5);
}

TEST(IndexText, CountsInRowMajorOrder) {
  EXPECT_EQ(IndexText({2, 3, 4}, 17), "[1, 1, 1]");
  EXPECT_EQ(IndexText({}, 0), "[]");
}

}  // namespace
}  // namespace opsrun::host
