// compat/tests/absl/duration_test.cc: the units of absl::Duration, and what is beyond its range, by the SDK's layer and by
// abseil itself. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST(AbslDuration, IsCountedInUnits) {
  const absl::Duration d = absl::Hours(1) + absl::Minutes(30);
  EXPECT_EQ(absl::ToInt64Nanoseconds(d), 5400000000000);
  EXPECT_EQ(absl::ToInt64Microseconds(d), 5400000000);
  EXPECT_EQ(absl::ToInt64Milliseconds(d), 5400000);
  EXPECT_EQ(absl::ToInt64Seconds(d), 5400);
  EXPECT_EQ(absl::ToInt64Minutes(d), 90);
  EXPECT_EQ(absl::ToInt64Hours(d), 1);
  EXPECT_EQ(absl::ToInt64Seconds(-absl::Milliseconds(1500)), -1);
  EXPECT_EQ(absl::ToDoubleNanoseconds(absl::Microseconds(2)), 2000);
  EXPECT_EQ(absl::ToDoubleMicroseconds(absl::Nanoseconds(500)), 0.5);
  EXPECT_EQ(absl::ToDoubleMilliseconds(d), 5.4e6);
  EXPECT_EQ(absl::ToDoubleSeconds(d), 5400);
  EXPECT_EQ(absl::ToDoubleMinutes(d), 90);
  EXPECT_EQ(absl::ToDoubleHours(d), 1.5);
}

TEST(AbslDuration, Computes) {
  absl::Duration d = absl::Seconds(7);
  d += absl::Seconds(3);
  d -= absl::Seconds(1);
  d *= 2;
  d /= 4;
  EXPECT_EQ(d, absl::Seconds(4.5));
  d %= absl::Seconds(2);
  EXPECT_EQ(d, absl::Milliseconds(500));
  EXPECT_EQ(-absl::Seconds(7) % absl::Seconds(2), -absl::Seconds(1));
  EXPECT_EQ(1.5 * absl::Seconds(2) / 3, absl::Seconds(1));
  EXPECT_GT(absl::Seconds(2), absl::Seconds(1));
  EXPECT_GE(absl::Seconds(2), absl::Seconds(2));
  EXPECT_LE(absl::Seconds(1), absl::Seconds(1));
  EXPECT_NE(absl::Seconds(1), absl::Seconds(2));
}

TEST(AbslDuration, HasNoEnd) {
  const absl::Duration forever = absl::InfiniteDuration();
  EXPECT_EQ(forever + absl::Hours(1), forever);
  EXPECT_EQ(forever - absl::Hours(1), forever);
  EXPECT_EQ(-forever + absl::Hours(1), -forever);
  EXPECT_EQ(forever * -2, -forever);
  EXPECT_EQ(forever / 2, forever);
  EXPECT_EQ(absl::Seconds(1e300), forever);
  EXPECT_EQ(absl::Hours(kMost), forever);
  EXPECT_EQ(absl::Seconds(1) / 0, forever);
  EXPECT_GT(forever, absl::Hours(1000000));
  EXPECT_LT(-forever, absl::ZeroDuration());
  EXPECT_EQ(absl::ToInt64Seconds(forever), kMost);
  EXPECT_EQ(absl::ToDoubleSeconds(-forever), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(forever / absl::Seconds(1), kMost);
  EXPECT_EQ(absl::Seconds(1) / forever, 0);
  EXPECT_EQ(absl::AbsDuration(-forever), forever);
}

TEST(AbslDuration, WritesItself) {
  EXPECT_EQ(absl::FormatDuration(absl::Seconds(3723.5)), "1h2m3.5s");
  EXPECT_EQ(absl::FormatDuration(absl::Hours(72) + absl::Seconds(1)), "72h1s");
  EXPECT_EQ(absl::FormatDuration(-absl::Minutes(2)), "-2m");
  EXPECT_EQ(absl::FormatDuration(absl::Seconds(59) + absl::Nanoseconds(1)), "59.000000001s");
  EXPECT_EQ(absl::FormatDuration(absl::Microseconds(1500)), "1.5ms");
  EXPECT_EQ(absl::FormatDuration(absl::Nanoseconds(-1050)), "-1.05us");
  EXPECT_EQ(absl::FormatDuration(absl::Nanoseconds(999)), "999ns");
  EXPECT_EQ(absl::FormatDuration(absl::InfiniteDuration()), "inf");
  EXPECT_EQ(absl::FormatDuration(-absl::InfiniteDuration()), "-inf");
}

TEST(AbslDuration, ConvertsToThatOfTheStandard) {
  EXPECT_EQ(absl::ToChronoNanoseconds(absl::Microseconds(3)), std::chrono::nanoseconds(3000));
  EXPECT_EQ(absl::FromChrono(std::chrono::milliseconds(2)), absl::Milliseconds(2));
  EXPECT_EQ(absl::FromChrono(std::chrono::hours(2)), absl::Hours(2));
}

TEST(AbslTime, ConvertsFromAndToNumbers) {
  EXPECT_EQ(absl::ToUnixNanos(absl::FromUnixNanos(-5)), -5);
  EXPECT_EQ(absl::ToUnixMicros(absl::FromUnixMicros(7)), 7);
  EXPECT_EQ(absl::ToUnixMicros(absl::FromUnixNanos(-1)), -1);
  EXPECT_EQ(absl::ToUnixMillis(absl::FromUnixNanos(-2000000)), -2);
  EXPECT_EQ(absl::ToTimeT(absl::FromTimeT(1000000000)), 1000000000);
  absl::Time time = absl::UnixEpoch();
  time += absl::Seconds(3);
  time -= absl::Seconds(1);
  EXPECT_EQ(absl::Seconds(1) + time - absl::Seconds(2), absl::FromUnixSeconds(1));
  EXPECT_NEAR(static_cast<double>(absl::GetCurrentTimeNanos()), static_cast<double>(absl::ToUnixNanos(absl::Now())),
              1e12);
}

TEST(AbslTime, HasNoEnd) {
  EXPECT_EQ(absl::InfiniteFuture() - absl::Hours(1), absl::InfiniteFuture());
  EXPECT_EQ(absl::InfiniteFuture() - absl::Now(), absl::InfiniteDuration());
  EXPECT_EQ(absl::Now() - absl::InfiniteFuture(), -absl::InfiniteDuration());
  EXPECT_LT(absl::InfinitePast(), absl::Now());
  EXPECT_GT(absl::InfiniteFuture(), absl::Now());
  EXPECT_EQ(absl::ToUnixSeconds(absl::InfiniteFuture()), kMost);
  EXPECT_EQ(absl::FormatTime(absl::InfiniteFuture()), "infinite-future");
  EXPECT_EQ(absl::FormatTime(absl::InfinitePast()), "infinite-past");
}

TEST(AbslTime, IsWrittenInAZone) {
  const absl::Time time = absl::FromUnixSeconds(0);
  EXPECT_EQ(absl::FormatTime(absl::RFC3339_sec, time, absl::UTCTimeZone()), "1970-01-01T00:00:00+00:00");
  EXPECT_EQ(absl::FormatTime(time, absl::FixedTimeZone(-5400)), "1969-12-31T22:30:00-01:30");
  absl::TimeZone zone;
  EXPECT_TRUE(absl::LoadTimeZone("UTC", &zone));
  EXPECT_EQ(absl::FormatTime(absl::RFC3339_full, time + absl::Milliseconds(250), zone), "1970-01-01T00:00:00.25+00:00");
  EXPECT_FALSE(absl::LoadTimeZone("Middle/Earth", &zone));
  absl::Time read;
  EXPECT_TRUE(absl::ParseTime("%Y-%m-%d %H:%M", "1970-01-01 01:30", absl::FixedTimeZone(5400), &read, nullptr));
  EXPECT_EQ(read, absl::UnixEpoch());
}

}  // namespace
