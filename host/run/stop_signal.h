// host/run/stop_signal.h: a signal that stops runs, which can be set from any thread or from a signal handler.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace opsrun::host {

class StopSignal {
 public:
  void Stop() { stopped_.store(true, std::memory_order_relaxed); }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> stopped_{false};
  static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may set it");
};

}  // namespace opsrun::host
