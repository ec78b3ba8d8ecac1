// host/cli/guard/stop_watcher.h: Ctrl-C, a polite kill, and --timeout, while a graph runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <thread>

#include "host/run/stop_signal.h"

namespace opsrun::host {

// Why the runs were told to stop.
struct StopCause {
  int signal = 0;  // SIGINT or SIGTERM; 0: the time is up
};

// While it lives, SIGINT and SIGTERM stop the runs instead of the program. One at a time in a process.
class StopWatcher {
 public:
  struct Hooks {
    // The kernels did not end in time, or the user asked twice. Does not return. On a thread of its own.
    std::function<void(const StopCause&)> give_up;
    // Every now and then, on the same thread; may be empty.
    std::function<void()> tick;
  };

  // deadline: nothing if there is none.
  StopWatcher(StopSignal& stop, std::optional<std::chrono::steady_clock::time_point> deadline, Hooks hooks);
  StopWatcher(const StopWatcher&) = delete;
  ~StopWatcher();

  // False if no thread could be started: signals end the program then, and no time is kept.
  bool watches() const { return thread_.joinable(); }
  // Nothing while nobody has asked to stop. Final once the runs have ended.
  std::optional<StopCause> cause() const;

 private:
  using Clock = std::chrono::steady_clock;

  void Watch();
  int MillisecondsToWait() const;
  void Stop(int signal);
  void GiveSignalsBack();

  StopSignal& stop_;
  const Hooks hooks_;
  std::optional<Clock::time_point> deadline_;  // of the runs, then of the kernels that were told to end
  int pipe_[2] = {-1, -1};                     // signal numbers on their way to the watching thread; 0 ends it
  std::atomic<int> cause_{-1};                 // a signal, 0 for time, -1 for none
  struct sigaction before_[2] = {};            // what SIGINT and SIGTERM did
  std::thread thread_;
};

}  // namespace opsrun::host
