// host/cli/stopped.h: runs that somebody stopped, told to the user.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/diagnostic.h"
#include "host/cli/prepared_run.h"
#include "host/cli/stop_watcher.h"

namespace opsrun::host {

// The node that ran when the runs were told to stop, and who told them.
Diagnostic DescribeStop(const PreparedRun& run, const StopCause& cause, const RunFailure& failure);
// The nodes that still run although they were told to stop. From any thread.
Diagnostic DescribeStuck(PreparedRun& run, const StopCause& cause);

// kExitTimeout, or 128 + n for signal n.
int StopExitCode(const StopCause& cause);

}  // namespace opsrun::host
