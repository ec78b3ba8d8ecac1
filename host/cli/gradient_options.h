// host/cli/gradient_options.h: the options that specify what to differentiate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "host/cli/console.h"
#include "host/cli/options.h"
#include "host/engine/engine.h"
#include "host/gradient/differentiate.h"

namespace opsrun::host {

// --of A,B=SEED --wrt X,Y
void AddGradientRequest(Options& options, GradientRequest& request);

// Error U003 if one of the two is missing.
std::optional<Diagnostic> CheckGradientRequest(const GradientRequest& request, std::string_view command);

// Reports errors in the gradient that an op declares.

// Returns the exit status; kExitOk if there are no errors or the op declares no gradient.
int ReportGradient(Engine& engine, const RegisteredOp& op, Console& console);

}  // namespace opsrun::host
