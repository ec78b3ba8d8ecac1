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

#include "host/run/lane_pool.h"

namespace opsrun::host {

// Why the runs were stopped.
struct StopCause {
  int signal = 0;  // SIGINT or SIGTERM; 0: the time is over
};

// While it lives, SIGINT and SIGTERM stop the runs instead of the program. One at a time in a process.
class StopWatcher {
 public:
  struct Hooks {
    // Whether some of what runs can be asked to stop, and so gets time to do it. Called on a separate thread.
    std::function<bool()> can_be_asked;
    // The kernels did not return in time, or the user asked twice. Must not return. Called on a separate thread.
    std::function<void(const StopCause&)> give_up;
    // Called periodically on the same thread; may be empty.
    std::function<void()> tick;
  };

  // deadline: nothing if there is none.
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
  std::optional<Clock::time_point> deadline_;  // of the runs, then of the kernels that were asked to stop
  Clock::time_point asked_;                    // when they were
  int pipe_[2] = {-1, -1};                     // signal numbers on their way to the watching thread; 0 ends it
  std::atomic<int> cause_{-1};                 // a signal, 0 for the timeout, -1 for none
  struct sigaction before_[2] = {};            // what SIGINT and SIGTERM did
  std::thread thread_;
};

// --timeout, for all that a command does besides its runs.

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
