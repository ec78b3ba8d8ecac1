// host/cli/run_many.h: many runs of one plan, some of them concurrent.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "host/cli/graph_session.h"

namespace opsrun::host {

// Performs one run. run: its number, from 0. caller: the number of the calling thread, from 0.
using OneRun = std::function<std::optional<RunFailure>(Lane& lane, uint32_t run, uint32_t caller)>;

struct ManyRuns {
  std::optional<RunFailure> failure;
  uint32_t callers = 1;  // how many ran concurrently
  uint32_t wanted = 1;   // more than `callers` if some threads could not be started
};

// Calls run_once for runs 0 to count - 1, on the calling thread and on one more thread for each further lane; run 0
// uses lane 0. After a failure, stops the running ones and starts no more. done: counts the runs that succeeded.
ManyRuns RunMany(LanePool& lanes, uint32_t count, StopSignal& stop, const OneRun& run_once,
                 std::atomic<uint32_t>& done);

// Runs that Ctrl-C and --timeout can stop, and whose failures are reported.

struct Watched {
  // Performs all runs and returns the first failure.
  std::function<std::optional<RunFailure>()> runs;
  // For progress, on a separate thread: `tick` is called periodically, `clear` before a message is printed. May be
  // empty.
  std::function<void()> tick, clear;
};

// Performs the runs and reports why they ended early. Returns an exit status.
int RunWatched(GraphSession& run, const Watched& watched);

}  // namespace opsrun::host
