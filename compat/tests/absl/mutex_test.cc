// compat/tests/absl/mutex_test.cc: all ways to lock an absl::Mutex and to wait with it; times.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>

#include "every_absl_header.h"

namespace {

constexpr absl::ConstInitType kAtStart = absl::kConstInit;
ABSL_CONST_INIT absl::Mutex global_mutex(absl::kConstInit);

// False if another thread can take the mutex.
bool IsHeld(absl::Mutex* mutex) {
  bool is_free = false;
  std::thread([&] {
    is_free = mutex->TryLock();
    if (is_free) mutex->Unlock();
  }).join();
  return !is_free;
}

TEST(AbslMutex, IsHeldByOne) {
  absl::Mutex mutex;
  mutex.WriterLock();
  mutex.AssertHeld();
  EXPECT_TRUE(IsHeld(&mutex));
  mutex.WriterUnlock();
  EXPECT_FALSE(IsHeld(&mutex));
  EXPECT_FALSE(IsHeld(&global_mutex));
  EXPECT_EQ(kAtStart, absl::kConstInit);
}

TEST(AbslMutex, IsSharedByReaders) {
  absl::Mutex mutex;
  mutex.ReaderLock();
  mutex.AssertReaderHeld();
  EXPECT_TRUE(IsHeld(&mutex));
  std::thread([&] { absl::ReaderMutexLock also(&mutex); }).join();
  mutex.ReaderUnlock();
  EXPECT_FALSE(IsHeld(&mutex));
}

TEST(AbslMutex, IsReleasedEarly) {
  absl::Mutex mutex;
  {
    absl::ReleasableMutexLock lock(&mutex);
    EXPECT_TRUE(IsHeld(&mutex));
    lock.Release();
    EXPECT_FALSE(IsHeld(&mutex));
  }
  {
    absl::WriterMutexLock lock(&mutex);
    EXPECT_TRUE(IsHeld(&mutex));
  }
  EXPECT_FALSE(IsHeld(&mutex));
}

struct Counter {
  bool IsThree() { return count == 3; }
  bool IsOdd() const { return count % 2 == 1; }
  int count = 0;
};

TEST(AbslCondition, IsAskedOfAnything) {
  Counter counter;
  const Counter& same = counter;
  const auto is_two = [&counter] { return counter.count == 2; };
  const bool no = false;
  EXPECT_FALSE(absl::Condition(&no).Eval());
  counter.count = 2;
  EXPECT_TRUE(absl::Condition(&is_two).Eval());
  EXPECT_FALSE(absl::Condition(&same, &Counter::IsOdd).Eval());
  counter.count = 3;
  EXPECT_TRUE(absl::Condition(&same, &Counter::IsOdd).Eval());
  EXPECT_TRUE(absl::Condition(&counter, &Counter::IsThree).Eval());
  EXPECT_TRUE(absl::Condition(
                  +[](Counter* c) { return c->count > 0; }, &counter)
                  .Eval());
}

TEST(AbslMutex, AwaitsWhatAnotherThreadDoes) {
  absl::Mutex mutex;
  Counter counter;
  const auto count = [&] {
    for (int i = 0; i < 3; ++i) {
      absl::MutexLock lock(&mutex);
      ++counter.count;
    }
  };
  std::thread other(count);
  mutex.LockWhen(absl::Condition(&counter, &Counter::IsThree));
  EXPECT_EQ(counter.count, 3);
  mutex.Await(absl::Condition(&counter, &Counter::IsThree));
  counter.count = 0;
  mutex.Unlock();
  other.join();
  std::thread again(count);
  {
    absl::MutexLock lock(&mutex, absl::Condition(&counter, &Counter::IsThree));
    EXPECT_EQ(counter.count, 3);
  }
  again.join();
}

TEST(AbslMutex, AwaitsForSomeTime) {
  absl::Mutex mutex;
  bool is_done = false;
  EXPECT_FALSE(mutex.LockWhenWithTimeout(absl::Condition(&is_done), absl::Milliseconds(1)));
  EXPECT_FALSE(mutex.AwaitWithDeadline(absl::Condition(&is_done), absl::Now() + absl::Milliseconds(1)));
  is_done = true;
  EXPECT_TRUE(mutex.AwaitWithDeadline(absl::Condition(&is_done), absl::InfiniteFuture()));
  EXPECT_TRUE(mutex.AwaitWithTimeout(absl::Condition(&is_done), absl::InfiniteDuration()));
  mutex.Unlock();
  EXPECT_TRUE(mutex.LockWhenWithTimeout(absl::Condition(&is_done), absl::InfiniteDuration()));
  mutex.Unlock();
}

TEST(AbslMutex, AwaitsForEverAnotherThread) {
  absl::Mutex mutex;
  bool is_done = false;
  std::thread other([&] {
    absl::SleepFor(absl::Milliseconds(2));
    absl::MutexLock lock(&mutex);
    is_done = true;
  });
  absl::MutexLock lock(&mutex);
  EXPECT_TRUE(mutex.AwaitWithTimeout(absl::Condition(&is_done), absl::InfiniteDuration()));
  mutex.Unlock();
  other.join();
  mutex.Lock();
}

TEST(AbslCondVar, WakesOneOrAll) {
  absl::Mutex mutex;
  absl::CondVar changed;
  int turns = 0;
  std::thread first([&] {
    absl::MutexLock lock(&mutex);
    while (turns == 0) changed.Wait(&mutex);
    turns = 2;
    changed.SignalAll();
  });
  {
    absl::MutexLock lock(&mutex);
    turns = 1;
    changed.Signal();
    while (turns != 2) EXPECT_FALSE(changed.WaitWithDeadline(&mutex, absl::InfiniteFuture()));
  }
  first.join();
  absl::MutexLock lock(&mutex);
  EXPECT_TRUE(changed.WaitWithDeadline(&mutex, absl::Now() + absl::Milliseconds(1)));
  EXPECT_TRUE(changed.WaitWithTimeout(&mutex, absl::Milliseconds(1)));
}

TEST(AbslNotification, IsAwaitedForSomeTime) {
  absl::Notification happened;
  EXPECT_FALSE(happened.WaitForNotificationWithTimeout(absl::Milliseconds(1)));
  happened.Notify();
  EXPECT_TRUE(happened.WaitForNotificationWithTimeout(absl::InfiniteDuration()));
}

// A class that uses all annotations of clang's lock analysis.
class ABSL_LOCKABLE OwnLock {
 public:
  void Take() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  void TakeShared() ABSL_SHARED_LOCK_FUNCTION() { mutex_.lock(); }
  bool TryTake() ABSL_EXCLUSIVE_TRYLOCK_FUNCTION(true) { return mutex_.try_lock(); }
  void Give() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }
  void Check() const ABSL_ASSERT_EXCLUSIVE_LOCK() {}
  void CheckShared() const ABSL_ASSERT_SHARED_LOCK() {}

 private:
  std::mutex mutex_;
};
class ABSL_SCOPED_LOCKABLE OwnScope {
 public:
  explicit OwnScope(OwnLock* lock) ABSL_EXCLUSIVE_LOCK_FUNCTION(lock) : lock_(lock) { lock->Take(); }
  ~OwnScope() ABSL_UNLOCK_FUNCTION() { lock_->Give(); }

 private:
  OwnLock* lock_;
};
class Guarded {
 public:
  int Add(int n) ABSL_LOCKS_EXCLUDED(lock_) {
    OwnScope scope(&lock_);
    AddLocked(n);
    return Value();
  }
  int Racy() const ABSL_NO_THREAD_SAFETY_ANALYSIS { return value_; }
  OwnLock* lock() ABSL_LOCK_RETURNED(lock_) { return &lock_; }

 private:
  void AddLocked(int n) ABSL_EXCLUSIVE_LOCKS_REQUIRED(lock_) { *pointer_ += n; }
  int Value() const ABSL_SHARED_LOCKS_REQUIRED(lock_) { return value_; }

  absl::Mutex before_ ABSL_ACQUIRED_BEFORE(lock_), after_ ABSL_ACQUIRED_AFTER(lock_);
  OwnLock lock_;
  int value_ ABSL_GUARDED_BY(lock_) = 1;
  int* pointer_ ABSL_PT_GUARDED_BY(lock_) = &value_;
};

TEST(AbslThreadAnnotations, ChangeNothing) {
  Guarded guarded;
  EXPECT_EQ(guarded.Add(2), 3);
  EXPECT_EQ(guarded.Racy(), 3);
  OwnLock* const lock = guarded.lock();
  if (lock->TryTake()) lock->Give();
  lock->TakeShared();
  lock->CheckShared();
  lock->Check();
  lock->Give();
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
  EXPECT_EQ(absl::ToUnixSeconds(absl::FromUnixMillis(-1)), -1);
  EXPECT_LT(absl::FromUnixSeconds(1000000000), absl::Now());
}

TEST(AbslTime, HasNoEnd) {
  EXPECT_EQ(absl::InfiniteFuture() - absl::Hours(1), absl::InfiniteFuture());
  EXPECT_EQ(absl::InfiniteFuture() - absl::Now(), absl::InfiniteDuration());
  EXPECT_EQ(absl::Now() - absl::InfiniteFuture(), -absl::InfiniteDuration());
  EXPECT_LT(absl::InfinitePast(), absl::Now());
  EXPECT_GT(absl::InfiniteFuture(), absl::Now());
  EXPECT_EQ(absl::ToUnixSeconds(absl::InfiniteFuture()), std::numeric_limits<int64_t>::max());
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
