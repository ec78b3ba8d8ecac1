// host/cli/report_gradient.h: reports errors in the gradient that an op declares.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/cli/console.h"
#include "host/engine/engine.h"

namespace opsrun::host {

// Returns the exit status for them, kExitOk if there are none or the op declares no gradient.
int ReportGradient(Engine& engine, const RegisteredOp& op, Console& console);

}  // namespace opsrun::host
