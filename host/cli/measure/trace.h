// host/cli/measure/trace.h: when each node ran, in Chrome's trace event format, for ui.perfetto.dev or
// chrome://tracing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>

#include "host/base/status.h"
#include "host/cli/measure/profile.h"

namespace opsrun::host {

// One run: its time, its lane, its steps.
struct TracedRun {
  int64_t begin = 0;  // nanoseconds, as in StepTime; 0: it did not start
  int64_t end = 0;
  uint32_t lane = 0;
  bool failed = false;
  RunTimes times;
};

// Records the first runs: at least one, and as many as have 200,000 steps together. Several threads may write, each to
// its own runs.
class TraceLog {
 public:
  TraceLog(size_t steps, uint32_t runs)
      : all_(runs), runs_(std::clamp<size_t>(kMostEvents / (steps + 1), 1, std::max<uint32_t>(runs, 1))) {}

  bool Keeps(uint32_t run) const { return run < runs_.size(); }
  TracedRun& At(uint32_t run) { return runs_[run]; }
  const std::vector<TracedRun>& runs() const { return runs_; }
  uint32_t all() const { return all_; }

 private:
  static constexpr size_t kMostEvents = 200'000;
  uint32_t all_;
  std::vector<TracedRun> runs_;
};

// Receives the text in pieces; an error ends the writing.
using TraceSink = std::function<Status(std::string_view)>;

// One process, named `title`; a track for each lane and thread; an event for each run, for each step that ran, with op,
// plugin, shapes and run number, and for each part that a kernel reported. Times start at the first run.
Status WriteTrace(const TraceLog& log, const std::vector<NodeFacts>& facts, const std::string& title,
                  const TraceSink& sink);

}  // namespace opsrun::host
