// host/cli/run_record.h: --trace and --profile of "run": records times during runs and reports them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/base/atomic_file.h"
#include "host/cli/measure/profile.h"
#include "host/cli/measure/trace.h"
#include "host/cli/prepared_run.h"
#include "host/cli/run_many.h"

namespace opsrun::host {

struct RunSettings {
  uint32_t repeat = 1;
  uint32_t concurrency = 1;
  uint32_t print_every = 0;  // 0: only after the last run
  std::string trace;         // a file; may be empty
  bool profile = false;
};

class RunRecord {
 public:
  RunRecord(const PreparedRun& prepared, const RunSettings& settings);

  // The function for one run. It measures times only if requested.
  OneRun run_once();

  // Errors (R503) if the trace cannot be written. Call WriteTrace after the runs, even if they failed.
  void OpenTrace(Diagnostics& diagnostics);
  void WriteTrace(Console& console, Diagnostics& diagnostics);

  // Prints nothing unless requested.
  void ShowProfile(Console& console) const;

 private:
  // The data of one caller of runs.
  struct Caller {
    RunTimes times;
    ProfileSums sums;
  };

  std::optional<RunFailure> RunTimed(Lane& lane, uint32_t run, uint32_t caller);

  const PreparedRun& prepared_;
  const RunSettings& settings_;
  std::vector<Caller> callers_;
  std::optional<TraceLog> trace_;
  std::optional<AtomicFile> trace_file_;
};

}  // namespace opsrun::host
