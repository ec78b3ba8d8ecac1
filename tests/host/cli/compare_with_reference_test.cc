// tests/host/cli/compare_with_reference_test.cc: which results the judge takes as right, and how accurate it finds
// them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "host/cli/judge/compare.h"
#include "host/cli/judge/judge.h"

namespace opsrun::host {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Tensor Floats(const std::vector<float>& values) {
  return *Tensor::CopyOf(DType::kFloat32, {static_cast<int64_t>(values.size())}, values.data());
}
Tensor Doubles(const std::vector<double>& values) {
  return *Tensor::CopyOf(DType::kFloat64, {static_cast<int64_t>(values.size())}, values.data());
}
Tensor Ints(const std::vector<int32_t>& values) {
  return *Tensor::CopyOf(DType::kInt32, {static_cast<int64_t>(values.size())}, values.data());
}
std::vector<int32_t> IntsOf(const Tensor& tensor) {
  const auto* all = static_cast<const int32_t*>(tensor.data());
  return {all, all + tensor.num_elements()};
}

TEST(CompareOutputs, IsExactForIntegers) {
  EXPECT_EQ(CompareOutputs(Ints({1, 2}), Ints({1, 2}), true).is, Likeness::kSame);
  const Likeness wrong = CompareOutputs(Ints({1, 100}), Ints({1, 101}), true);
  EXPECT_EQ(wrong.is, Likeness::kWrong);
  EXPECT_EQ(wrong.place, 1);
}

TEST(CompareOutputs, AcceptsAnotherOrderOfASumAndMeasuresWhatIsNear) {
  EXPECT_EQ(CompareOutputs(Floats({1.0000001F}), Floats({1}), false).is, Likeness::kSame);
  EXPECT_EQ(CompareOutputs(Floats({1.01F}), Floats({1}), true).is, Likeness::kNear);
  EXPECT_EQ(CompareOutputs(Floats({1.01F}), Floats({1}), false).is, Likeness::kWrong);
  EXPECT_EQ(CompareOutputs(Floats({1.5F}), Floats({1}), true).is, Likeness::kWrong);
}

TEST(CompareOutputs, TakesNanOnlyWhereItIsExpected) {
  EXPECT_EQ(CompareOutputs(Floats({kNan, 1}), Floats({kNan, 1}), true).is, Likeness::kSame);
  EXPECT_EQ(CompareOutputs(Floats({kNan, kNan}), Floats({kNan, 1}), true).is, Likeness::kWrong);
  EXPECT_EQ(CompareOutputs(Floats({1, 1}), Floats({kNan, 1}), true).is, Likeness::kWrong);
}

TEST(ErrorSpread, CountsUnitsInTheLastPlace) {
  ErrorSpread spread;
  spread.Add(Floats({1.0F + 0x1p-23F, 2, kNan}), Doubles({1, 2, 1}));
  ASSERT_EQ(spread.errors.size(), 2U);
  EXPECT_NEAR(spread.At(1), 1, 1e-6);
  EXPECT_EQ(spread.At(0), 0);
}

TEST(DescribeErrors, AllowsOneUnitAndAsMuchAsTheReference) {
  ErrorSpread exact{{0, 0, 0}}, one{{1, 1, 1}}, some{{8, 8, 8}}, many{{9000, 9000, 9000}};
  EXPECT_EQ(DescribeErrors(one, exact, 1), "");
  EXPECT_EQ(DescribeErrors(some, some, 1), "");
  EXPECT_NE(DescribeErrors(some, one, 1), "");
  EXPECT_EQ(DescribeErrors(some, one, 8), "");
  EXPECT_NE(DescribeErrors(many, some, 1), "");
}

TEST(MakeFresh, DiffersForEachSeedAndStaysInItsRange) {
  const Tensor given = Ints({3, 5, 4, 7, 7, 6});
  EXPECT_EQ(IntsOf(*MakeFresh(Fresh::kKeep, given, 1)), IntsOf(given));
  std::vector<int32_t> shuffled = IntsOf(*MakeFresh(Fresh::kShuffle, given, 1));
  EXPECT_TRUE(std::ranges::is_permutation(shuffled, IntsOf(given)));
  for (const int32_t each : IntsOf(*MakeFresh(Fresh::kNear, given, 2))) {
    EXPECT_GE(each, 3);
    EXPECT_LE(each, 7);
  }
  EXPECT_NE(IntsOf(*MakeFresh(Fresh::kAny, given, 1)), IntsOf(*MakeFresh(Fresh::kAny, given, 2)));
}

}  // namespace
}  // namespace opsrun::host
