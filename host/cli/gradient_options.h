// host/cli/gradient_options.h: what to differentiate, on the command line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "host/cli/options.h"
#include "host/gradient/differentiate.h"

namespace opsrun::host {

// --of A,B=SEED --wrt X,Y
void AddGradientRequest(Options& options, GradientRequest& request);

// Error U003 if one of the two is missing.
std::optional<Diagnostic> CheckGradientRequest(const GradientRequest& request, std::string_view command);

}  // namespace opsrun::host
