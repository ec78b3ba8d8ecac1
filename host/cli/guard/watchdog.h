// host/cli/guard/watchdog.h: --timeout, for everything that a command does except its runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>

namespace opsrun::host {

// Ends the program when the time is over, whatever it does at that moment: opening plugins, planning, writing outputs,
// destroying kernels. It has no effect while it is suspended.
class Watchdog {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Watchdog(uint64_t timeout_ms);  // 0: does nothing
  Watchdog(const Watchdog&) = delete;
  ~Watchdog();

  // False if the thread could not be started, so that there is no timeout.
  bool watches() const { return !deadline_ || thread_.joinable(); }
  const std::optional<Clock::time_point>& deadline() const { return deadline_; }

  // Until the next call of Resume, the caller is responsible for the timeout.
  void Suspend();
  // If the time is already over, grants a short extension for an orderly end.
  void Resume();

 private:
  void Watch();

  const uint64_t timeout_ms_;
  std::optional<Clock::time_point> deadline_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::optional<Clock::time_point> end_;  // nothing while suspended
  bool over_ = false;
  std::thread thread_;
};

}  // namespace opsrun::host
