// absl/synchronization/blocking_counter.h: absl::BlockingCounter: waits until a counter has come down to 0.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/synchronization/mutex.h"

OPSRUN_ABSL_BEGIN

class BlockingCounter {
 public:
  explicit BlockingCounter(int count) : count_(count), is_zero_(count == 0) {}
  BlockingCounter(const BlockingCounter&) = delete;
  // True if that was the last one.
  bool DecrementCount() {
    MutexLock lock(&mutex_);
    return is_zero_ = --count_ == 0;
  }
  void Wait() { MutexLock lock(&mutex_, Condition(&is_zero_)); }

 private:
  Mutex mutex_;
  int count_;
  bool is_zero_;
};

OPSRUN_ABSL_END
