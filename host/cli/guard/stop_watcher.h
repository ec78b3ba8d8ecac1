// host/cli/guard/stop_watcher.h: handles Ctrl-C, SIGTERM and --timeout while a graph runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "host/run/lane.h"

namespace opsrun::host {

struct StopCause {
  int signal = 0;  // SIGINT or SIGTERM; 0: the timeout
};

// During its lifetime, SIGINT and SIGTERM stop the runs instead of the program. At most one per process.
class StopWatcher {
 public:
  struct Hooks {
    // Returns whether some running kernel can be asked to stop, and thus gets time for it. Called on a separate thread.
    std::function<bool()> can_be_asked;
    // The kernels did not return in time, or the user asked twice. Must not return. Called on a separate thread.
    std::function<void(const StopCause&)> give_up;
    // Called periodically on the same thread; may be empty.
    std::function<void()> tick;
  };

  // deadline: nothing for no timeout.
  StopWatcher(StopSignal& stop, std::optional<std::chrono::steady_clock::time_point> deadline, Hooks hooks);
  StopWatcher(const StopWatcher&) = delete;
  ~StopWatcher();

  // False if the thread could not be started: signals then end the program, and there is no timeout.
  bool watches() const { return thread_.joinable(); }
  // Nothing if no stop was requested. Final once the runs have ended.
  std::optional<StopCause> cause() const;

 private:
  using Clock = std::chrono::steady_clock;

  void Watch();
  int MillisecondsToWait() const;
  void Stop(int signal);
  void GiveSignalsBack();

  StopSignal& stop_;
  const Hooks hooks_;
  std::optional<Clock::time_point> deadline_;  // for the runs; after a request, for the kernels to stop
  Clock::time_point asked_;                    // time of the request
  int pipe_[2] = {-1, -1};                     // signal numbers for the watching thread; 0 ends it
  std::atomic<int> cause_{-1};                 // a signal, 0 for the timeout, -1 for none
  struct sigaction before_[2] = {};            // previous handlers of SIGINT and SIGTERM
  std::thread thread_;
};

// Enforces --timeout while a command is not running graphs.

// Ends the program at the timeout, whatever it is doing: loading plugins, planning, writing outputs, destroying
// kernels. It stays active after this object is destroyed, since static destructors may hang too. Not active while
// suspended.
class Watchdog {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Watchdog(uint64_t timeout_ms);  // 0: does nothing
  Watchdog(const Watchdog&) = delete;
  ~Watchdog();

  // False if no thread could be started; the timeout is then not enforced.
  bool watches() const { return !deadline_ || state_ != nullptr; }
  const std::optional<Clock::time_point>& deadline() const { return deadline_; }

  // Stops enforcing the timeout until Resume is called; the caller must enforce it.
  void Suspend();
  // If the timeout has expired by now, allows a short time to end cleanly.
  void Resume();

 private:
  struct State;

  std::optional<Clock::time_point> deadline_;
  std::shared_ptr<State> state_;  // shared with the thread, which outlives this object
};

}  // namespace opsrun::host
