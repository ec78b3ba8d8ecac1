// opsrun_compat/notification.h: Notification and BlockingCounter, to wait for other threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/mutex.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

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
    return WaitAtMost(std::min(time, kMost));
  }

 private:
  friend class Notification;

  bool WaitAtMost(std::chrono::nanoseconds time) {
    // The clocks of std would overflow on the longest times.
    constexpr std::chrono::nanoseconds kMost = std::chrono::hours(24);
    mutex_lock lock(mutex_);
    const auto begin = std::chrono::steady_clock::now();
    for (auto left = time; count_ > 0 && left.count() > 0; left = time - (std::chrono::steady_clock::now() - begin)) {
      is_zero_.wait_for(lock, std::min(left, kMost));
    }
    return count_ <= 0;
  }

  mutex mutex_;
  condition_variable is_zero_;
  int count_;
};

// What happens once.
class Notification {
 public:
  void Notify() { counter_.DecrementCount(); }
  bool HasBeenNotified() const { return WaitFor({}); }
  void WaitForNotification() const { counter_.Wait(); }
  // False: it timed out.
  friend bool WaitForNotificationWithTimeout(Notification* notification, int64 microseconds) {
    return notification->WaitFor(std::chrono::microseconds(std::min(microseconds, kint64max / 1000)));
  }

 protected:
  bool WaitFor(std::chrono::nanoseconds time) const { return counter_.WaitAtMost(time); }

 private:
  mutable BlockingCounter counter_{1};
};

}  // namespace OPSRUN_HIDDEN
