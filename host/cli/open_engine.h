// host/cli/open_engine.h: creates the engine of a command from its options.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "host/cli/console.h"
#include "host/cli/shared_options.h"
#include "host/engine/engine.h"

namespace opsrun::host {

// Remarks about plugins are written to the console. Null after an error, which is already reported: the command ends
// with kExitPlugins. options, callers: for a command that runs graphs; callers is the number of runs at the same time.
std::shared_ptr<Engine> OpenEngine(const CommonOptions& common, Console& console, const GraphOptions& options = {},
                                   int callers = 1);

// "2 plugins refused", or empty: a hint for users who do not find an op.
std::string RefusedText(const Catalog& catalog);

}  // namespace opsrun::host
