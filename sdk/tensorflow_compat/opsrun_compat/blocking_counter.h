// opsrun_compat/blocking_counter.h: BlockingCounter: waits until a counter has come down to 0.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/mutex.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

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
  // True if the counter is 0.
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
