// compat/tests/absl/time_test.cc: absl::Time and Duration, mutexes and notifications, by the SDK's layer and by abseil
// itself. SPDX-License-Identifier: Apache-2.0
#include "absl/time/time.h"

#include <gtest/gtest.h>

#include <thread>

#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"

namespace {

TEST(AbslDuration, Converts) {
  EXPECT_EQ(absl::Seconds(2) + absl::Milliseconds(500), absl::Seconds(2.5));
  EXPECT_EQ(absl::ToInt64Milliseconds(absl::Seconds(1.5)), 1500);
  EXPECT_EQ(absl::ToDoubleSeconds(absl::Microseconds(250000)), 0.25);
  EXPECT_EQ(absl::Hours(1) / absl::Minutes(1), 60);
  EXPECT_EQ(absl::Minutes(2) * 3, absl::Seconds(360));
  EXPECT_LT(absl::ZeroDuration(), absl::Nanoseconds(1));
  EXPECT_EQ(absl::AbsDuration(-absl::Seconds(1)), absl::Seconds(1));
  EXPECT_EQ(absl::FormatDuration(absl::Milliseconds(250)), "250ms");
  EXPECT_EQ(absl::FormatDuration(absl::ZeroDuration()), "0");
}

TEST(AbslTime, CountsFrom1970) {
  const absl::Time time = absl::FromUnixSeconds(100) + absl::Milliseconds(5);
  EXPECT_EQ(absl::ToUnixMillis(time), 100005);
  EXPECT_EQ(absl::ToUnixSeconds(absl::FromUnixMillis(-1)), -1);
  EXPECT_EQ(time - absl::UnixEpoch(), absl::Milliseconds(100005));
  EXPECT_LT(absl::FromUnixSeconds(1000000000), absl::Now());
}

TEST(AbslTime, ReadsAndWritesText) {
  absl::Time time;
  std::string error;
  EXPECT_TRUE(absl::ParseTime(absl::RFC3339_full, "2019-02-16T03:04:05.25+01:30", &time, &error)) << error;
  EXPECT_EQ(absl::ToUnixMillis(time), 1550280845250);
  EXPECT_EQ(absl::FormatTime("%Y-%m-%d %H:%M:%E*S%Ez", time, absl::UTCTimeZone()), "2019-02-16 01:34:05.25+00:00");
  EXPECT_TRUE(absl::ParseTime("%Y/%m/%d", "1970/01/02", &time, &error));
  EXPECT_EQ(absl::ToUnixSeconds(time), 86400);
  EXPECT_FALSE(absl::ParseTime("%Y", "last year", &time, &error));
  EXPECT_FALSE(error.empty());
}

TEST(AbslMutex, GuardsAndAwaits) {
  absl::Mutex mutex;
  int turns = 0;
  std::thread other([&] {
    for (int i = 0; i < 3; ++i) {
      absl::MutexLock lock(&mutex);
      ++turns;
    }
  });
  {
    absl::MutexLock lock(&mutex, absl::Condition(
                                     +[](int* t) { return *t == 3; }, &turns));
    EXPECT_EQ(turns, 3);
  }
  other.join();
  absl::ReaderMutexLock read(&mutex);
}

TEST(AbslMutex, TimesOut) {
  absl::Mutex mutex;
  const bool never = false;
  mutex.Lock();
  EXPECT_FALSE(mutex.AwaitWithTimeout(absl::Condition(&never), absl::Milliseconds(1)));
  absl::CondVar changed;
  EXPECT_TRUE(changed.WaitWithTimeout(&mutex, absl::Milliseconds(1)));
  mutex.Unlock();
}

TEST(AbslSynchronization, WaitsForOthers) {
  absl::Notification happened;
  absl::BlockingCounter counter(2);
  EXPECT_FALSE(happened.HasBeenNotified());
  std::thread other([&] {
    counter.DecrementCount();
    counter.DecrementCount();
    happened.Notify();
  });
  counter.Wait();
  happened.WaitForNotification();
  other.join();
  absl::SleepFor(absl::Microseconds(10));
}

}  // namespace
