// host/cli/run_many.h: many runs of one plan, several at the same time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "host/cli/prepared_run.h"
#include "host/run/lane_pool.h"

namespace opsrun::host {

// Performs one run. Parameters: a lane, the number of the run from 0, the number of the caller from 0.
using OneRun = std::function<std::optional<RunFailure>(Lane& lane, uint32_t run, uint32_t caller)>;

struct ManyRuns {
  std::optional<RunFailure> failure;
  uint32_t callers = 1;  // number that ran at the same time
  uint32_t wanted = 1;   // more than `callers` if no more threads could be started
};

// Calls run_once for runs 0 to count - 1, on the calling thread and on one more for each further lane; run 0 uses lane
// 0. After a failure, the other runs are stopped and no run is started. *done is the number of runs that succeeded.
ManyRuns RunMany(LanePool& lanes, uint32_t count, StopSignal& stop, const OneRun& run_once,
                 std::atomic<uint32_t>& done);

// Runs that Ctrl-C and --timeout can stop, and whose failures are reported.

struct Watched {
  // Performs all runs and returns the first failure.
  std::function<std::optional<RunFailure>()> runs;
  // For progress, on a separate thread: `tick` periodically, `clear` before a message is printed. May be empty.
  std::function<void()> tick, clear;
};

// Performs the runs and reports why they ended early. Returns an exit status.
int RunWatched(PreparedRun& run, const Watched& watched);

}  // namespace opsrun::host
