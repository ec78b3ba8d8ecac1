// host/cli/session.h: a graph that is ready to run, and what its runs need: what "run" and "bench" have in common.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "host/cli/command_line.h"
#include "host/cli/console.h"
#include "host/cli/graph_file.h"
#include "host/cli/installed_plugins.h"
#include "host/run/lane_pool.h"
#include "host/threads/thread_pool.h"

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

// Members that others use come before them.
class Session {
 public:
  Session(const GraphOptions& options, const CommonOptions& common, Console& console);
  Session(const Session&) = delete;

  // False after an error, which is told: then the command ends with exit_code(). `lanes` runs at the same time may
  // follow.
  bool Prepare(size_t lanes);
  // The first half of it: everything but the memory to run in. With a resolution (see PlanInputs) the plan is only
  // looked at: declared feeds may be without an array.
  bool MakePlan(Resolution* resolution = nullptr);
  int exit_code() const { return exit_code_; }

  const Plan& plan() const { return *plan_; }
  const Registry& registry() const { return loaded_.registry; }
  LanePool& lanes() { return *lanes_; }
  int threads() const { return pool_->threads(); }
  StopSignal& stop() { return stop_; }
  const StartTimes& times() const { return times_; }
  const std::string& path() const { return options_.graph; }

  // Tells what was found since, and makes it the exit code.
  Diagnostics& diagnostics() { return file_.diagnostics; }
  int Report();
  // After Prepare or MakePlan failed: tells why, unless that was told already; the exit code.
  int ReportFailure();
  void TellWarnings();
  // Adds what --memory-limit allows to a message about memory.
  void ExplainLimit(Diagnostic& d) const;
  // Tells one thing, about the graph's file. From any thread, while nobody else tells anything.
  void Tell(const Diagnostic& d) { console_.Report(d, file_.source.get()); }

 private:
  bool MakeLanes(size_t count);
  bool Fail(int exit_code);

  const GraphOptions& options_;
  const CommonOptions& common_;
  Console& console_;
  const int threads_;
  int exit_code_ = 0;
  StartTimes times_;
  Stopwatch watch_;

  std::optional<Catalog> catalog_;
  GraphFile file_;
  LoadResult loaded_;
  std::unique_ptr<Device> device_;
  const opsrun_host* host_ = nullptr;
  std::map<std::string, Tensor> feeds_;
  Resources resources_;  // emptied after the kernels are gone, before their plugins shut down
  std::unique_ptr<const Plan> plan_;
  StopSignal stop_;
  std::unique_ptr<ThreadPool> pool_;
  std::unique_ptr<LanePool> lanes_;
};

}  // namespace opsrun::host
