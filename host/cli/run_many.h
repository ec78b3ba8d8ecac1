// host/cli/run_many.h: many runs of one plan, several at the same time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "host/run/lane_pool.h"

namespace opsrun::host {

// What one run is: a lane, the number of the run from 0, the number of the caller from 0.
using OneRun = std::function<std::optional<RunFailure>(Lane& lane, uint32_t run, uint32_t caller)>;

struct ManyRuns {
  std::optional<RunFailure> failure;
  uint32_t callers = 1;  // that ran at the same time
  uint32_t wanted = 1;   // more than `callers` if the system has no more threads
};

// Calls run_once for runs 0 to count - 1, on the calling thread and on as many more as there are further lanes; run 0
// is on lane 0. After a failure the others are stopped and no run is begun. *done counts the runs
// that succeeded.
ManyRuns RunMany(LanePool& lanes, uint32_t count, StopSignal& stop, const OneRun& run_once,
                 std::atomic<uint32_t>& done);

}  // namespace opsrun::host
