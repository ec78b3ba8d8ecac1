// host/cli/graph_session.h: a graph that is ready to run, for commands that run a graph or show its plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>

#include "host/base/plugin_code.h"
#include "host/cli/console.h"
#include "host/cli/guard/stop_watcher.h"
#include "host/cli/shared_options.h"
#include "host/engine/loaded_graph.h"

namespace opsrun::host {

// Milliseconds since the last call.
class Stopwatch {
 public:
  double Lap() {
    const Clock::time_point now = Clock::now();
    const double ms = std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
    return ms;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

// In milliseconds.
struct StartTimes {
  double plugins = 0;  // reading all plugin files
  double check = 0;    // reading the graph and its arrays, planning
  double load = 0;     // opening the required plugins
};

class GraphSession {
 public:
  // callers: number of concurrent runs.
  GraphSession(const GraphOptions& options, const CommonOptions& common, int callers, Console& console);
  GraphSession(const GraphSession&) = delete;

  // Loads and plans the graph. With `resolution`, the plan is only shown, and declared feeds need no arrays. False
  // after errors; the command then ends with Report().
  bool MakePlan(Resolution* resolution = nullptr);
  // Creates the lanes and sets their feeds. False as above. Also reports the diagnostics so far. Requires: MakePlan.
  bool MakeLanes();

  const Plan& plan() const { return planned_->plan(); }
  const Registry& registry() const { return graph_->registry(); }
  const Engine& engine() const { return *engine_; }
  LanePool& lanes() { return *lanes_; }
  StopSignal& stop() { return stop_; }
  Watchdog& watchdog() { return watchdog_; }
  StartTimes times() const;
  const GraphOptions& options() const { return options_; }

  // The diagnostics of the command. Report prints them and returns the exit status.
  Diagnostics& diagnostics() { return graph_->diagnostics(); }
  int Report();
  // Reports one diagnostic about the graph's file. From any thread, but not concurrently.
  void Tell(const Diagnostic& d) { console_.Report(d, graph_->source()); }
  void Note(std::string_view line) { console_.Note(line); }
  // Restores process state that plugins have changed, and reports that.
  void RestoreProcess();

 private:
  void TellWarnings();

  const GraphOptions& options_;
  const CommonOptions& common_;
  const int callers_;
  Console& console_;
  double plugins_ms_ = 0, feeds_ms_ = 0;
  const ProcessState process_;

  // Each member uses those above it, even during destruction.
  Watchdog watchdog_;
  std::shared_ptr<Engine> engine_;
  std::shared_ptr<LoadedGraph> graph_;
  std::map<std::string, Tensor> feeds_;
  std::shared_ptr<const PlannedGraph> planned_;
  StopSignal stop_;
  std::unique_ptr<LanePool> lanes_;
};

}  // namespace opsrun::host
