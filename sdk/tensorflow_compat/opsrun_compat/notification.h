// opsrun_compat/notification.h: Notification: an event that happens once.
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
  // True if it has happened in that time.
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

}  // namespace OPSRUN_HIDDEN
