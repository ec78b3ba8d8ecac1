// tests/host/measure/statistics_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/measure/statistics.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

std::vector<double> UpTo(int n) {
  std::vector<double> samples;
  for (int i = 1; i <= n; ++i) samples.push_back(i);
  return samples;
}

TEST(Quantile, LiesBetweenTheNearestSamples) {
  EXPECT_EQ(Quantile({1, 2, 4}, 0.5), 2);
  EXPECT_EQ(Quantile({1, 2, 4}, 0.75), 3);
  EXPECT_EQ(Quantile({1, 2, 4}, 1), 4);
  EXPECT_EQ(Quantile({7}, 0.9), 7);
}

TEST(Summary, IsOfTheSortedSamples) {
  const Summary summary = Summarize({5, 1, 3, 2, 4});
  EXPECT_EQ(summary.samples, 5u);
  EXPECT_EQ(summary.min, 1);
  EXPECT_EQ(summary.median, 3);
  EXPECT_DOUBLE_EQ(summary.p90, 4.6);
  EXPECT_EQ(summary.max, 5);
  EXPECT_EQ(Summarize({}).samples, 0u);
}

// Of 100 samples, ranks 40 to 61 hold the median in 95 of 100 cases (a table of binomials says so).
TEST(MedianInterval, ComesFromRanks) {
  const Interval interval = MedianInterval(UpTo(100));
  EXPECT_EQ(interval.low, 40);
  EXPECT_EQ(interval.high, 61);
}

TEST(MedianInterval, IsEverythingForAFewSamples) {
  EXPECT_EQ(MedianInterval({2, 3, 9}).low, 2);
  EXPECT_EQ(MedianInterval({2, 3, 9}).high, 9);
}

TEST(IsStable, NeedsTwentySamples) {
  EXPECT_FALSE(IsStable(std::vector<double>(19, 5.0)));
  EXPECT_TRUE(IsStable(std::vector<double>(20, 5.0)));
}

TEST(IsStable, NeedsANarrowInterval) {
  EXPECT_FALSE(IsStable(UpTo(100)));
}

TEST(IsStable, DoesNotMindOutliers) {
  std::vector<double> samples(100, 5.0);
  for (size_t i = 0; i < 100; i += 5) samples[i] = 1000;
  EXPECT_TRUE(IsStable(samples));
}

TEST(IsStable, SeesADrift) {
  std::vector<double> samples(100, 5.0);
  for (size_t i = 50; i < 100; ++i) samples[i] = 5.2;
  EXPECT_FALSE(IsStable(samples));
}

}  // namespace
}  // namespace opsrun::host
