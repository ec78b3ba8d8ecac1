// host/run/run_once.h: runs a small plan on the calling thread and forgets it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/plan/plan.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// The plan's outputs, in memory of their own, or nothing if a kernel fails or there is no memory. That a kernel refuses
// its inputs or attrs (INVALID_ARGUMENT, OUT_OF_RANGE) is added as an error. Requires: no declared feeds.
std::optional<std::vector<Tensor>> RunOnce(const Plan& plan, const opsrun_host* host, Diagnostics& diagnostics);

}  // namespace opsrun::host
