// host/cli/guard/watchdog.h: --timeout, for all that a command does besides its runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

namespace opsrun::host {

// From now on the program is ended once the time is over, whatever it does: loading plugins, planning, writing outputs,
// destroying kernels; also after this object is gone, since static destructors may hang, too. Not while it is
// suspended.
class Watchdog {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Watchdog(uint64_t timeout_ms);  // 0: does nothing
  Watchdog(const Watchdog&) = delete;
  ~Watchdog();

  // False: no thread could be started, so nobody keeps the time.
  bool watches() const { return !deadline_ || state_ != nullptr; }
  const std::optional<Clock::time_point>& deadline() const { return deadline_; }

  // Until the next call of Resume somebody else keeps the time.
  void Suspend();
  // If the time is over by now, there is a little more, to end in good order.
  void Resume();

 private:
  struct State;

  std::optional<Clock::time_point> deadline_;
  std::shared_ptr<State> state_;  // shared with the thread, which outlives this object
};

}  // namespace opsrun::host
