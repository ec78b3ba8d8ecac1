// host/cli/open_engine.h: the engine of a command, as its options describe it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "host/cli/common_options.h"
#include "host/cli/console.h"
#include "host/cli/graph_options.h"
#include "host/engine/engine.h"

namespace opsrun::host {

// Remarks on plugins go to the console. Null after an error that is told: the command ends with kExitPlugins.
std::shared_ptr<Engine> OpenEngine(const CommonOptions& common, Console& console);
// The same for a command that runs graphs, `callers` of them at the same time.
std::shared_ptr<Engine> OpenEngine(const CommonOptions& common, const GraphOptions& options, int callers,
                                   Console& console);

// "2 plugins refused", or empty: for people who miss what is in them.
std::string RefusedText(const Catalog& catalog);

}  // namespace opsrun::host
