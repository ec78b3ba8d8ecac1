// host/graph/read_nodes.h: the section "nodes".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/graph/graph.h"
#include "host/yaml/reporter.h"

namespace opsrun::host {

// Adds the nodes to `graph`; names of those with mistakes go to its left_out.
void ReadNodes(const Value& section, Graph& graph, Reporter& reporter);

}  // namespace opsrun::host
