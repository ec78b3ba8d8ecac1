// host/engine/check_requires.h: what a graph requires of plugins, compared with their notes: nothing is opened.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/graph/graph.h"
#include "host/plugin/catalog.h"

namespace opsrun::host {

// The names of the plugins that are required and not there, with an error for each: P301 there is no such plugin, P302
// it is of another version.
std::vector<std::string> CheckRequires(const Graph& graph, const Catalog& catalog, Diagnostics& diagnostics);

// The graph's ops, as it writes them, that are of the plugins `unmet`, or may be: no plugin is named, and none has
// them. Nothing can be said of their nodes.
std::vector<std::string> OpsOfUnmet(const Graph& graph, const Catalog& catalog, const std::vector<std::string>& unmet);

}  // namespace opsrun::host
