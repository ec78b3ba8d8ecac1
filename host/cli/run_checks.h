// host/cli/run_checks.h: compares what a run gave with what the graph expects.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/diagnostic.h"
#include "host/cli/console.h"
#include "host/plan/plan.h"
#include "host/run/lane.h"

namespace opsrun::host {

// An error R405 for each check that does not hold, and one line on how many do, if the graph has any. Requires: the
// lane's last run succeeded.
void RunChecks(const Plan& plan, const Lane& lane, Console& console, Diagnostics& diagnostics);

}  // namespace opsrun::host
