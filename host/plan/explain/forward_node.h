// host/plan/explain/forward_node.h: names the node that a node of a gradient belongs to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/base/diagnostic.h"
#include "host/graph/graph.h"

namespace opsrun::host {

// Marks, in an error about `node`, the node whose gradient it computes, if there is one in the graph.
void MarkForwardNode(const Graph& graph, const Node& node, Diagnostic& error);

// The same for all errors whose place is in a node of a gradient.
void MarkForwardNodes(const Graph& graph, std::vector<Diagnostic>& errors);

}  // namespace opsrun::host
