// opsrun/mutex.h: mutex, mutex_lock, tf_shared_lock and condition_variable, for state that a kernel keeps between
// calls.
//
// Compute of one kernel object may run on several threads at once, so a mutex must guard the members that it changes.
// Do not hold a lock during a parallel loop whose body takes the same lock.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "opsrun/namespace.h"
#include "opsrun/thread_annotations.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

enum LinkerInitialized { LINKER_INITIALIZED };

// Either one writer or any number of readers.
class TF_LOCKABLE mutex {
 public:
  mutex() = default;
  explicit mutex(LinkerInitialized) {}
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  void lock() TF_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  bool try_lock() TF_EXCLUSIVE_TRYLOCK_FUNCTION(true) { return mutex_.try_lock(); }
  void unlock() TF_UNLOCK_FUNCTION() { mutex_.unlock(); }
  void lock_shared() TF_SHARED_LOCK_FUNCTION() { mutex_.lock_shared(); }
  bool try_lock_shared() { return mutex_.try_lock_shared(); }
  void unlock_shared() TF_UNLOCK_FUNCTION() { mutex_.unlock_shared(); }

 private:
  std::shared_mutex mutex_;
};

// Locks a mutex for the lifetime of this object.
class TF_SCOPED_LOCKABLE mutex_lock {
 public:
  explicit mutex_lock(mutex& mu) TF_EXCLUSIVE_LOCK_FUNCTION(mu) : lock_(mu) {}
  mutex_lock(mutex& mu, std::try_to_lock_t) TF_EXCLUSIVE_LOCK_FUNCTION(mu) : lock_(mu, std::try_to_lock) {}
  mutex_lock(mutex_lock&& other) noexcept TF_NO_THREAD_SAFETY_ANALYSIS : lock_(std::move(other.lock_)) {}
  ~mutex_lock() TF_UNLOCK_FUNCTION() {}

  void lock() { lock_.lock(); }
  void unlock() TF_UNLOCK_FUNCTION() { lock_.unlock(); }
  explicit operator bool() const { return lock_.owns_lock(); }

 private:
  friend class condition_variable;
  std::unique_lock<mutex> lock_;
};

// Locks a mutex for reading, for the lifetime of this object. Other readers may hold it at the same time.
class TF_SCOPED_LOCKABLE tf_shared_lock {
 public:
  explicit tf_shared_lock(mutex& mu) TF_SHARED_LOCK_FUNCTION(mu) : lock_(mu) {}
  tf_shared_lock(mutex& mu, std::try_to_lock_t) TF_SHARED_LOCK_FUNCTION(mu) : lock_(mu, std::try_to_lock) {}
  tf_shared_lock(tf_shared_lock&& other) noexcept TF_NO_THREAD_SAFETY_ANALYSIS : lock_(std::move(other.lock_)) {}
  ~tf_shared_lock() TF_UNLOCK_FUNCTION() {}

  explicit operator bool() const { return lock_.owns_lock(); }

 private:
  std::shared_lock<mutex> lock_;
};

class condition_variable {
 public:
  void wait(mutex_lock& lock) { condition_.wait(lock.lock_); }
  template <typename Predicate>
  void wait(mutex_lock& lock, Predicate is_true) {
    condition_.wait(lock.lock_, is_true);
  }
  template <typename Rep, typename Period>
  std::cv_status wait_for(mutex_lock& lock, std::chrono::duration<Rep, Period> duration) {
    return condition_.wait_for(lock.lock_, duration);
  }
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

 private:
  std::condition_variable_any condition_;
};

enum ConditionResult { kCond_Timeout, kCond_MaybeNotified };

// Waits for at most that time. kCond_MaybeNotified: the condition variable was notified, or woke up spuriously.
inline ConditionResult WaitForMilliseconds(mutex_lock* lock, condition_variable* condition, int64_t milliseconds) {
  const std::cv_status status = condition->wait_for(*lock, std::chrono::milliseconds(milliseconds));
  return status == std::cv_status::timeout ? kCond_Timeout : kCond_MaybeNotified;
}

}  // namespace OPSRUN_HIDDEN
