// opsrun_absl/synchronization.h: absl::Mutex, its locks, CondVar and Condition.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <shared_mutex>

#include "opsrun_absl/time.h"
#include "opsrun_compat/notification.h"

OPSRUN_ABSL_BEGIN

class Mutex;

namespace internal {

// True if the deadline has passed. The clocks of std would overflow on times such as InfiniteFuture().
inline bool WaitUntil(std::condition_variable_any* changed, std::shared_mutex* mutex, Time deadline) {
  const Duration most = Hours(24), left = deadline - Now();
  if (left <= most) return changed->wait_for(*mutex, ToChronoNanoseconds(left)) == std::cv_status::timeout;
  changed->wait_for(*mutex, ToChronoNanoseconds(most));
  return false;
}

}  // namespace internal

// The condition of Mutex::Await.
class Condition {
 public:
  explicit Condition(const bool* flag) : is_true_([flag] { return *flag; }) {}
  template <typename T>
  Condition(bool (*function)(T*), T* argument) : is_true_([=] { return function(argument); }) {}
  template <typename T>
  Condition(T* object, bool (T::*method)()) : is_true_([=] { return (object->*method)(); }) {}
  template <typename T>
  Condition(const T* object, bool (T::*method)() const) : is_true_([=] { return (object->*method)(); }) {}
  template <typename F, typename = decltype(std::declval<const F&>()())>
  explicit Condition(const F* functor) : is_true_([functor] { return (*functor)(); }) {}
  bool Eval() const { return is_true_(); }

 private:
  std::function<bool()> is_true_;
};

class ABSL_LOCKABLE Mutex {
 public:
  Mutex() = default;
  explicit Mutex(ConstInitType) {}
  Mutex(const Mutex&) = delete;

  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  bool TryLock() ABSL_EXCLUSIVE_TRYLOCK_FUNCTION(true) { return mutex_.try_lock(); }
  // Threads in Await check their condition again after a writer unlocks.
  void Unlock() ABSL_UNLOCK_FUNCTION() {
    mutex_.unlock();
    changed_.notify_all();
  }
  void ReaderLock() ABSL_SHARED_LOCK_FUNCTION() { mutex_.lock_shared(); }
  void ReaderUnlock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock_shared(); }
  void WriterLock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { Lock(); }
  void WriterUnlock() ABSL_UNLOCK_FUNCTION() { Unlock(); }
  void AssertHeld() const {}
  void AssertReaderHeld() const {}

  // Requires: the caller holds the lock. It holds the lock again when Await returns.
  void Await(const Condition& condition) {
    changed_.wait(mutex_, [&] { return condition.Eval(); });
  }
  bool AwaitWithTimeout(const Condition& condition, Duration timeout) {
    const Time deadline = Now() + timeout;
    while (!condition.Eval()) {
      if (internal::WaitUntil(&changed_, &mutex_, deadline)) return condition.Eval();
    }
    return true;
  }
  bool AwaitWithDeadline(const Condition& condition, Time deadline) {
    return AwaitWithTimeout(condition, deadline - Now());
  }
  void LockWhen(const Condition& condition) ABSL_EXCLUSIVE_LOCK_FUNCTION() {
    Lock();
    Await(condition);
  }
  bool LockWhenWithTimeout(const Condition& condition, Duration timeout) ABSL_EXCLUSIVE_LOCK_FUNCTION() {
    Lock();
    return AwaitWithTimeout(condition, timeout);
  }

  // Abseil's newer names, which std's locks also use.
  void lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { Lock(); }
  bool try_lock() ABSL_EXCLUSIVE_TRYLOCK_FUNCTION(true) { return TryLock(); }
  void unlock() ABSL_UNLOCK_FUNCTION() { Unlock(); }
  void lock_shared() ABSL_SHARED_LOCK_FUNCTION() { ReaderLock(); }
  void unlock_shared() ABSL_UNLOCK_FUNCTION() { ReaderUnlock(); }

 private:
  friend class CondVar;

  std::shared_mutex mutex_;
  std::condition_variable_any changed_;
};

class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex* mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : mutex_(mutex) { mutex_->Lock(); }
  explicit MutexLock(Mutex& mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : MutexLock(&mutex) {}
  MutexLock(Mutex* mutex, const Condition& condition) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : mutex_(mutex) {
    mutex_->LockWhen(condition);
  }
  MutexLock(const MutexLock&) = delete;
  ~MutexLock() ABSL_UNLOCK_FUNCTION() { mutex_->Unlock(); }

 private:
  Mutex* mutex_;
};
typedef MutexLock WriterMutexLock;

class ABSL_SCOPED_LOCKABLE ReaderMutexLock {
 public:
  explicit ReaderMutexLock(Mutex* mutex) ABSL_SHARED_LOCK_FUNCTION(mutex) : mutex_(mutex) { mutex_->ReaderLock(); }
  explicit ReaderMutexLock(Mutex& mutex) ABSL_SHARED_LOCK_FUNCTION(mutex) : ReaderMutexLock(&mutex) {}
  ReaderMutexLock(const ReaderMutexLock&) = delete;
  ~ReaderMutexLock() ABSL_UNLOCK_FUNCTION() { mutex_->ReaderUnlock(); }

 private:
  Mutex* mutex_;
};

class ABSL_SCOPED_LOCKABLE ReleasableMutexLock {
 public:
  explicit ReleasableMutexLock(Mutex* mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : mutex_(mutex) { mutex_->Lock(); }
  ~ReleasableMutexLock() ABSL_UNLOCK_FUNCTION() { Release(); }
  void Release() ABSL_UNLOCK_FUNCTION() {
    if (mutex_ != nullptr) mutex_->Unlock();
    mutex_ = nullptr;
  }

 private:
  Mutex* mutex_;
};

class CondVar {
 public:
  void Wait(Mutex* mutex) { condition_.wait(mutex->mutex_); }
  // True if it timed out.
  bool WaitWithTimeout(Mutex* mutex, Duration timeout) {
    return internal::WaitUntil(&condition_, &mutex->mutex_, Now() + timeout);
  }
  bool WaitWithDeadline(Mutex* mutex, Time deadline) { return WaitWithTimeout(mutex, deadline - Now()); }
  void Signal() { condition_.notify_one(); }
  void SignalAll() { condition_.notify_all(); }

 private:
  std::condition_variable_any condition_;
};

using ::OPSRUN_NAMESPACE::BlockingCounter;

class Notification : public ::OPSRUN_NAMESPACE::Notification {
 public:
  bool WaitForNotificationWithTimeout(Duration timeout) const { return WaitFor(ToChronoNanoseconds(timeout)); }
};

OPSRUN_ABSL_END
