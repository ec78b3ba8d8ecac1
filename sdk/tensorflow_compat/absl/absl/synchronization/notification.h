// absl/synchronization/notification.h: absl::Notification: an event that happens once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/synchronization/mutex.h"

OPSRUN_ABSL_BEGIN

class Notification {
 public:
  Notification() = default;
  Notification(const Notification&) = delete;
  void Notify() {
    MutexLock lock(&mutex_);
    has_happened_ = true;
  }
  bool HasBeenNotified() const {
    MutexLock lock(&mutex_);
    return has_happened_;
  }
  void WaitForNotification() const { MutexLock lock(&mutex_, Condition(&has_happened_)); }
  bool WaitForNotificationWithTimeout(Duration timeout) const {
    MutexLock lock(&mutex_);
    return mutex_.AwaitWithTimeout(Condition(&has_happened_), timeout);
  }

 private:
  mutable Mutex mutex_;
  bool has_happened_ = false;
};

OPSRUN_ABSL_END
