// host/cli/open_engine.h: the engine of a command, as its options describe it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "host/cli/console.h"
#include "host/cli/shared_options.h"
#include "host/engine/engine.h"

namespace opsrun::host {

// Remarks on plugins go to the console. Null after an error that is told: the command ends with kExitPlugins.
// options, callers: of a command that runs graphs, so many at the same time.
std::shared_ptr<Engine> OpenEngine(const CommonOptions& common, Console& console, const GraphOptions& options = {},
                                   int callers = 1);

// "2 plugins refused", or empty: for people who miss what is in them.
std::string RefusedText(const Catalog& catalog);

}  // namespace opsrun::host
