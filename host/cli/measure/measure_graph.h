// host/cli/measure/measure_graph.h: measures the runs of a session, for bench and for pictures and reports with times.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "host/cli/measure/measure.h"
#include "host/cli/session.h"

namespace opsrun::host {

// --seconds S, in milliseconds; initialize it with kMeasureMs.
void AddSeconds(Options& options, uint64_t& measure_ms);
inline constexpr uint64_t kMeasureMs = 3000;

// Runs the graph repeatedly: first whole runs, for at most measure_ms, then with the clock read around each kernel.
// Fills in all of the report but `load`. Returns an exit status, after a message unless it is kExitOk; R404 if the
// graph has no nodes. Requires: MakeLanes.
int MeasureRuns(GraphSession& session, uint64_t measure_ms, BenchReport& report);

// Fills in report.load: one request at a time, then `concurrency` at a time if that is more, each for measure_ms.
// Returns as above. Requires: MeasureRuns.
int MeasureLoad(GraphSession& session, uint32_t concurrency, uint64_t measure_ms, BenchReport& report);

}  // namespace opsrun::host
