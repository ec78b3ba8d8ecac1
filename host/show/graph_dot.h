// host/show/graph_dot.h: a graph as a picture, in the words of Graphviz.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/diagnostic.h"
#include "host/graph/graph.h"
#include "host/plan/resolution.h"

namespace opsrun::host {

// A digraph in the DOT language: feeds, nodes and outputs as boxes, references as arrows with types and shapes, `after`
// as dashed ones. What has a mistake is red and says which; a node is of the color of its device, and a legend names
// the devices where there are several.
std::string GraphDot(const Graph& graph, const Resolution& resolution, const Diagnostics& diagnostics);

}  // namespace opsrun::host
