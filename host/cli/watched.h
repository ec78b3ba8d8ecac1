// host/cli/watched.h: runs that Ctrl-C and --timeout can stop, and whose failures are reported.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "host/cli/prepared_run.h"

namespace opsrun::host {

struct Watched {
  // Performs all runs and returns the first failure.
  std::function<std::optional<RunFailure>()> runs;
  // For progress, on a separate thread: `tick` periodically, `clear` before a message is printed. May be empty.
  std::function<void()> tick, clear;
};

// Performs the runs and reports why they ended early. Returns an exit status.
int RunWatched(PreparedRun& run, const Watched& watched);

}  // namespace opsrun::host
