// host/plan/check_requires.h: what a graph requires of plugins, compared with their notes: nothing is opened.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/diagnostic.h"
#include "host/graph/graph.h"
#include "host/plugin/catalog.h"

namespace opsrun::host {

// True if every requirement holds. Otherwise an error for each that does not: P301 there is no such plugin, P302 it is
// of another version.
bool CheckRequires(const Graph& graph, const Catalog& catalog, Diagnostics& diagnostics);

}  // namespace opsrun::host
