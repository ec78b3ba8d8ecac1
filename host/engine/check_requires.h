// host/engine/check_requires.h: compares the plugins that a graph requires with the notes of the plugin files; opens
// none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/graph/graph.h"
#include "host/plugin/catalog.h"

namespace opsrun::host {

// The names of the required plugins that are not available, with an error for each: P301 the plugin does not exist,
// P302 its version does not match.
std::vector<std::string> CheckRequires(const Graph& graph, const Catalog& catalog, Diagnostics& diagnostics);

// The ops of the graph, as they are written in it, that belong or may belong to the plugins `unmet`: those that name no
// plugin and that no available plugin has. Their nodes cannot be checked.
std::vector<std::string> OpsOfUnmet(const Graph& graph, const Catalog& catalog, const std::vector<std::string>& unmet);

}  // namespace opsrun::host
