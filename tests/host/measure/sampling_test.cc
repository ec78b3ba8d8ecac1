// tests/host/measure/sampling_test.cc: measuring with a clock that only runs move.
// SPDX-License-Identifier: Apache-2.0
#include "host/measure/sampling.h"

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

}  // namespace
}  // namespace opsrun::host
