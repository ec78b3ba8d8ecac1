// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

namespace opsrun::host {
namespace {

TEST(Shape, HasANumberOfElementsAndAText) {
  EXPECT_EQ(NumElements({}), 1);
  EXPECT_EQ(NumElements({2, 3, 4}), 24);
  EXPECT_EQ(NumElements({2, 0, 4}), 0);
  const int64_t large = int64_t{1} << 32;
  for (const Shape& shape : {Shape{-1, 2}, Shape{large, large}, Shape{large, large, 0}})
    EXPECT_EQ(NumElements(shape), std::nullopt) << ShapeText(shape);
  EXPECT_EQ(ShapeText({}), "[]");
  EXPECT_EQ(ShapeText({2, -1, 3}), "[2, ?, 3]");
}

TEST(Tensor, IsZeroedAlignedMemoryThatCopiesShare) {
  Result<Tensor> tensor = Tensor::Create(DType::kInt16, {5, 7});
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->num_elements(), 35);
  EXPECT_EQ(tensor->num_bytes(), 70u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor->data()) % 64, 0u);
  const char* bytes = static_cast<const char*>(tensor->data());
  EXPECT_TRUE(std::all_of(bytes, bytes + 70, [](char byte) { return byte == 0; }));
  const Tensor copy = *tensor;
  static_cast<uint8_t*>(tensor->mutable_data())[3] = 7;
  EXPECT_EQ(static_cast<const uint8_t*>(copy.data())[3], 7);
  EXPECT_EQ(Tensor::Create(DType::kFloat32, {3, 0})->num_bytes(), 0u);
}

TEST(Tensor, RefusesWhatCannotBeHeld) {
  const int64_t large = int64_t{1} << 31;
  const struct {
    DType dtype;
    Shape shape;
    const char* why;
  } rows[] = {{DType::kResource, {1}, "a tensor of resource has no values outside a run"},
              {DTypeFromNumber(99), {1}, "a tensor of dtype 99 has no values outside a run"},
              {DType::kFloat32, Shape(65, 1), "rank 65 is too high, at most 64 is supported"},
              {DType::kFloat32, {2, -3}, "the shape [2, -3] has the negative size -3"},
              {DType::kFloat64,
               {large, large},
               "float64 [2147483648, 2147483648] is too large: its size in bytes does not fit 64 bits"}};
  for (const auto& row : rows) EXPECT_EQ(Tensor::Create(row.dtype, row.shape).status().message(), row.why);
  const Status status = Tensor::Create(DType::kFloat64, {int64_t{1} << 50}).status();
  EXPECT_EQ(status.code(), OPSRUN_RESOURCE_EXHAUSTED);
  EXPECT_EQ(status.message().substr(0, 72), "float64 [1125899906842624] needs 9007199254740992 bytes, but this machin");
}

TEST(Tensor, OwnsItsStrings) {
  Result<Tensor> tensor = Tensor::Create(DType::kString, {2});
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->string(0), "");
  ASSERT_TRUE(tensor->SetString(0, "long enough to need memory of its own").ok());
  ASSERT_TRUE(tensor->SetString(1, tensor->string(0).substr(5)).ok());
  ASSERT_TRUE(tensor->SetString(0, tensor->string(0).substr(0, 4)).ok());
  const Tensor shared = *tensor;
  *tensor = Tensor();
  EXPECT_EQ(shared.string(0), "long");
  EXPECT_EQ(shared.string(1), "enough to need memory of its own");
}

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
