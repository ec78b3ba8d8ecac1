// host/cli/prepared_run.h: a graph that is ready to run, for the commands that run one or look at its plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "host/base/process_state.h"
#include "host/cli/console.h"
#include "host/cli/guard/watchdog.h"
#include "host/cli/shared_options.h"
#include "host/engine/loaded_graph.h"

namespace opsrun::host {

// Milliseconds since it was last asked.
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
  double plugins = 0;  // looking at all plugin files
  double check = 0;    // reading the graph and its arrays, planning
  double load = 0;     // opening the plugins that are needed
};

// Reads the file of each argument that names a declared feed; what is wrong with other names the engine says. F302: the
// file cannot be read.
std::map<std::string, Tensor> ReadFeedFiles(const std::vector<FeedArgument>& arguments, const Graph& graph,
                                            Diagnostics& diagnostics);

class PreparedRun {
 public:
  // callers: runs at the same time.
  PreparedRun(const GraphOptions& options, const CommonOptions& common, int callers, Console& console);
  PreparedRun(const PreparedRun&) = delete;

  // Loads and plans the graph. With a resolution the plan is only looked at: declared feeds may be without an array.
  // False after errors; then the command ends with Report().
  bool MakePlan(Resolution* resolution = nullptr);
  // Makes the lanes and gives them their feeds. False as above. Requires: MakePlan. What was found so far is told.
  bool MakeLanes();

  const Plan& plan() const { return planned_->plan(); }
  const Registry& registry() const { return graph_->registry(); }
  const Engine& engine() const { return *engine_; }
  LanePool& lanes() { return *lanes_; }
  StopSignal& stop() { return stop_; }
  Watchdog& watchdog() { return watchdog_; }
  StartTimes times() const;
  const GraphOptions& options() const { return options_; }

  // What the command has found out since; told by Report, which answers the exit code.
  Diagnostics& diagnostics() { return graph_->diagnostics(); }
  int Report();
  // Tells one thing about the graph's file. From any thread, while nobody else tells anything.
  void Tell(const Diagnostic& d) { console_.Report(d, graph_->source()); }
  void Note(std::string_view line) { console_.Note(line); }
  // Sets back what plugins have changed of the process, and says so.
  void RestoreProcess();

 private:
  void TellWarnings();

  const GraphOptions& options_;
  const CommonOptions& common_;
  const int callers_;
  Console& console_;
  double plugins_ms_ = 0, feeds_ms_ = 0;
  const ProcessState process_;

  // Each uses those above it, also while it is destroyed.
  Watchdog watchdog_;
  std::shared_ptr<Engine> engine_;
  std::shared_ptr<LoadedGraph> graph_;
  std::map<std::string, Tensor> feeds_;
  std::shared_ptr<const PlannedGraph> planned_;
  StopSignal stop_;
  std::unique_ptr<LanePool> lanes_;
};

}  // namespace opsrun::host
