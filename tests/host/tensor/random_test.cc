// tests/host/tensor/random_test.cc: the numbers that graph files promise; tests/graphs/random.out has some.
// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace opsrun::host {
namespace {

using Kind = Distribution::Kind;

template <typename T>
std::vector<T> Filled(DType dtype, int64_t count, uint64_t seed, const Distribution& distribution) {
  Result<Tensor> tensor = Tensor::Create(dtype, {count});
  FillRandom(*tensor, seed, distribution);
  std::vector<T> values(tensor->num_bytes() / sizeof(T));
  std::memcpy(values.data(), tensor->data(), tensor->num_bytes());
  return values;
}

// The first numbers of the authors' own program for this seed.
TEST(RandomBits, AreThoseOfSplitMix64) {
  EXPECT_EQ(RandomBits(1234567, 0), 6457827717110365317U);
  EXPECT_EQ(RandomBits(1234567, 1), 3203168211198807973U);
  EXPECT_EQ(RandomBits(1234567, 2), 9817491932198370423U);
  // As units they reach 0 and never 1.
  EXPECT_EQ(UnitFromBits(0), 0);
  EXPECT_EQ(UnitFromBits(~uint64_t{0}), 1 - 0x1p-53);
}

// The second value of each pair was computed with 30 digits.
TEST(NormalFromBits, IsTheInverseOfTheNormalDistribution) {
  const auto at = [](double p) { return NormalFromBits(static_cast<uint64_t>(p * 0x1p64)); };
  EXPECT_NEAR(at(0.5), 0, 1e-15);
  EXPECT_NEAR(at(0.975), 1.959963984540054235, 3e-15);
  EXPECT_NEAR(at(0.95), 1.644853626951472715, 3e-15);
  EXPECT_NEAR(at(0.0001), -3.719016485455680564, 3e-12);
  EXPECT_NEAR(at(1e-12), -7.034483825301131, 3e-5);  // 1e-12 is few of the 2^-52 that a number is made of
  EXPECT_TRUE(std::isfinite(NormalFromBits(0)));
  EXPECT_EQ(NormalFromBits(0), -NormalFromBits(~uint64_t{0}));
}

TEST(FillRandom, GivesTheNumbersItAlwaysGave) {
  EXPECT_EQ(Filled<double>(DType::kFloat64, 3, 1, {Kind::kUniform, -1, 2}),
            (std::vector<double>{0.13312315034456179, 0.49156351452540226, 0.94200550717359244}));
  EXPECT_EQ(Filled<double>(DType::kFloat64, 3, 1, {Kind::kNormal, 0, 1}),
            (std::vector<double>{0.16762684640915551, 0.66127419766404882, 1.895739549687012}));
  EXPECT_EQ(Filled<int32_t>(DType::kInt32, 8, 1, {Kind::kInts, 0, 0, static_cast<uint64_t>(-3), 6}),
            (std::vector<int32_t>{0, 2, 3, 0, 0, 2, 3, 0}));
}

TEST(FillRandom, RoundsTheSameNumbersToSmallerTypes) {
  const std::vector<double> wide = Filled<double>(DType::kFloat64, 50, 7, {Kind::kNormal, 3, 2});
  const std::vector<float> narrow = Filled<float>(DType::kFloat32, 50, 7, {Kind::kNormal, 3, 2});
  const std::vector<double> complex = Filled<double>(DType::kComplex128, 25, 7, {Kind::kNormal, 3, 2});
  for (size_t i = 0; i < wide.size(); ++i) EXPECT_EQ(narrow[i], static_cast<float>(wide[i]));
  EXPECT_EQ(complex, wide);
}

TEST(FillRandom, DrawsBothEndsAndTheWholeRange) {
  std::vector<int> seen(3);
  for (const int8_t value : Filled<int8_t>(DType::kInt8, 300, 2, {Kind::kInts, 0, 0, static_cast<uint64_t>(-1), 2}))
    ++seen.at(static_cast<size_t>(value + 1));
  for (const int count : seen) EXPECT_NEAR(count, 100, 40);
  EXPECT_EQ(Filled<uint64_t>(DType::kUInt64, 1, 5, {Kind::kInts, 0, 0, 0, ~uint64_t{0}})[0], RandomBits(5, 0));
}

TEST(FillRandom, HasTheMomentsOfItsDistribution) {
  double sum = 0, squares = 0;
  const std::vector<double> values = Filled<double>(DType::kFloat64, 100'000, 3, {Kind::kNormal, 0, 1});
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 1e5, 0, 0.02);
  EXPECT_NEAR(squares / 1e5, 1, 0.02);
}

}  // namespace
}  // namespace opsrun::host
