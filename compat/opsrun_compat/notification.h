// opsrun_compat/notification.h: Notification and BlockingCounter, to wait for other threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/mutex.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

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
    mutex_lock lock(notification->mutex_);
    if (!notification->has_happened_) notification->happened_.wait_for(lock, std::chrono::microseconds(microseconds));
    return notification->has_happened_;
  }

 private:
  mutable mutex mutex_;
  mutable condition_variable happened_;
  bool has_happened_ = false;
};

// BlockingCounter: waits until a counter reaches 0.

class BlockingCounter {
 public:
  explicit BlockingCounter(int count) : count_(count) {}
  BlockingCounter(const BlockingCounter&) = delete;

  void DecrementCount() {
    mutex_lock lock(mutex_);
    if (--count_ == 0) is_zero_.notify_all();
  }
  void Wait() {
    mutex_lock lock(mutex_);
    is_zero_.wait(lock, [this] { return count_ <= 0; });
  }
  // True if the counter reached 0.
  bool WaitFor(std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    mutex_lock lock(mutex_);
    while (count_ > 0 && std::chrono::steady_clock::now() < end) is_zero_.wait_for(lock, std::chrono::milliseconds(1));
    return count_ <= 0;
  }

 private:
  mutex mutex_;
  condition_variable is_zero_;
  int count_;
};

}  // namespace OPSRUN_HIDDEN
