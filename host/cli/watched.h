// host/cli/watched.h: runs that Ctrl-C and --timeout can end, and whose failures are told.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "host/cli/prepared_run.h"

namespace opsrun::host {

struct Watched {
  // Everything there is to run; answers the first failure.
  std::function<std::optional<RunFailure>()> runs;
  // For progress, on a thread of its own: every now and then, and before something is told. May be empty.
  std::function<void()> tick, clear;
};

// Runs, and tells why that ended early. An exit code.
int RunWatched(PreparedRun& run, const Watched& watched);

}  // namespace opsrun::host
