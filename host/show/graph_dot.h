// host/show/graph_dot.h: a graph as a picture in Graphviz's language.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/diagnostic.h"
#include "host/graph/graph.h"
#include "host/plan/resolution.h"

namespace opsrun::host {

// A digraph in the DOT language: feeds, nodes and outputs are boxes, references are arrows with types and shapes, and
// `after` is a dashed arrow. Parts with errors are red and name the errors. The color of a node is that of its device;
// a legend lists the devices if there are several.
std::string GraphDot(const Graph& graph, const Resolution& resolution, const Diagnostics& diagnostics);

}  // namespace opsrun::host
