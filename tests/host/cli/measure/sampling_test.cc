// tests/host/cli/measure/sampling_test.cc: measuring with a clock that only runs move.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/measure/sampling.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

struct FakeRuns {
  int64_t ns = 0;          // of a run
  int64_t more = 0;        // that each run takes longer than the one before
  uint32_t ends_at = ~0u;  // the run that fails
  int64_t now = 0;
  uint32_t runs = 0;

  RunBatch run() {
    return [this](uint32_t count) {
      for (uint32_t i = 0; i < count; ++i, ++runs) now += ns + more * runs;
      return runs < ends_at;
    };
  }
  ReadClock clock() {
    return [this] { return now; };
  }
};

TEST(WarmUp, EndsAfterOneLongRun) {
  FakeRuns fake{2 * kSecond};
  EXPECT_EQ(WarmUp(fake.run(), kSecond, fake.clock()), 2.0 * kSecond);
  EXPECT_EQ(fake.runs, 1u);
}

TEST(WarmUp, TakesATenthOfTheTime) {
  FakeRuns fake{100};
  EXPECT_EQ(WarmUp(fake.run(), 1'000'000, fake.clock()), 100.0);
  EXPECT_GE(fake.now, 100'000);
  EXPECT_LE(fake.now, 220'000);
}

TEST(WarmUp, EndsWithAFailure) {
  FakeRuns fake{100, 0, 1};
  EXPECT_EQ(WarmUp(fake.run(), kSecond, fake.clock()), std::nullopt);
}

TEST(TakeSamples, EndsWhenTheyAreStable) {
  FakeRuns fake{1'000'000};
  const auto taken = TakeSamples(fake.run(), 1e6, kSecond, fake.clock());
  EXPECT_TRUE(taken->stable);
  EXPECT_EQ(taken->batch, 1u);
  EXPECT_EQ(taken->samples, std::vector<double>(100, 1e6));
}

TEST(TakeSamples, PutsShortRunsIntoBatches) {
  FakeRuns fake{40};
  const auto taken = TakeSamples(fake.run(), 40, kSecond / 10, fake.clock());
  EXPECT_EQ(taken->batch, 250u);
  EXPECT_EQ(taken->samples[0], 40);
}

TEST(TakeSamples, EndsWhenTheTimeIsOver) {
  FakeRuns fake{1'000'000, 100'000};
  const auto taken = TakeSamples(fake.run(), 1e6, kSecond, fake.clock());
  EXPECT_FALSE(taken->stable);
  EXPECT_GE(fake.now, kSecond);
  EXPECT_LE(fake.now, kSecond + 20'000'000);
}

TEST(TakeSamples, EndsWithAFailure) {
  FakeRuns fake{1'000'000, 0, 50};
  EXPECT_EQ(TakeSamples(fake.run(), 1e6, kSecond, fake.clock()), std::nullopt);
  EXPECT_EQ(fake.runs, 50u);
}

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
