// opsrun_compat/notification.h: Notification and BlockingCounter, to wait for other threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/mutex.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// Waits until is_true(), at most for that time. Returns is_true().
template <typename Predicate>
bool WaitFor(condition_variable* changed, mutex_lock* lock, std::chrono::nanoseconds time, Predicate is_true) {
  // The clocks of std would overflow on the longest times.
  constexpr std::chrono::nanoseconds kMost = std::chrono::hours(24);
  const auto begin = std::chrono::steady_clock::now();
  for (auto left = time; !is_true() && left.count() > 0; left = time - (std::chrono::steady_clock::now() - begin)) {
    changed->wait_for(*lock, std::min(left, kMost));
  }
  return is_true();
}

}  // namespace internal

class Notification {
 public:
  Notification() = default;
  Notification(const Notification&) = delete;

  void Notify() {
    mutex_lock lock(mutex_);
    has_happened_ = true;
    happened_.notify_all();
  }
  bool HasBeenNotified() const {
    mutex_lock lock(mutex_);
    return has_happened_;
  }
  void WaitForNotification() const {
    mutex_lock lock(mutex_);
    happened_.wait(lock, [this] { return has_happened_; });
  }
  // False: it timed out.
  friend bool WaitForNotificationWithTimeout(Notification* notification, int64 microseconds) {
    return notification->WaitFor(std::chrono::microseconds(std::min(microseconds, kint64max / 1000)));
  }

 protected:
  bool WaitFor(std::chrono::nanoseconds time) const {
    mutex_lock lock(mutex_);
    return internal::WaitFor(&happened_, &lock, time, [this] { return has_happened_; });
  }

 private:
  mutable mutex mutex_;
  mutable condition_variable happened_;
  bool has_happened_ = false;
};

// Waits until a counter reaches 0.
class BlockingCounter {
 public:
  explicit BlockingCounter(int count) : count_(count) {}
  BlockingCounter(const BlockingCounter&) = delete;

  // True if the counter reached 0.
  bool DecrementCount() {
    mutex_lock lock(mutex_);
    if (--count_ == 0) is_zero_.notify_all();
    return count_ == 0;
  }
  void Wait() {
    mutex_lock lock(mutex_);
    is_zero_.wait(lock, [this] { return count_ <= 0; });
  }
  // True if the counter reached 0.
  bool WaitFor(std::chrono::milliseconds time) {
    constexpr std::chrono::milliseconds kMost{kint64max / 1000000};
    mutex_lock lock(mutex_);
    return internal::WaitFor(&is_zero_, &lock, std::min(time, kMost), [this] { return count_ <= 0; });
  }

 private:
  mutex mutex_;
  condition_variable is_zero_;
  int count_;
};

}  // namespace OPSRUN_HIDDEN
