// host/cli/guard/watchdog.h: --timeout, for all that a command does besides its runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>

namespace opsrun::host {

// While it lives, the program is ended once the time is over, whatever it does: opening plugins, planning, writing
// outputs, destroying kernels. Not while it is suspended.
class Watchdog {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Watchdog(uint64_t timeout_ms);  // 0: does nothing
  Watchdog(const Watchdog&) = delete;
  ~Watchdog();

  // False: no thread could be started, so nobody keeps the time.
  bool watches() const { return !deadline_ || thread_.joinable(); }
  const std::optional<Clock::time_point>& deadline() const { return deadline_; }

  // Until the next call of Resume somebody else keeps the time.
  void Suspend();
  // If the time is over by now, there is a little more, to end in good order.
  void Resume();

 private:
  void Watch();

  const uint64_t timeout_ms_;
  std::optional<Clock::time_point> deadline_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::optional<Clock::time_point> end_;  // nothing while suspended
  bool over_ = false;
  std::thread thread_;
};

}  // namespace opsrun::host
