// host/show/shapes_text.h: the shape of every tensor of a graph, as far as it is known before a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/graph/graph.h"
#include "host/plan/resolution.h"

namespace opsrun::host {

// "float32 [?a, 3]"
std::string ValueText(const ResolvedValue& value);

// A line for each feed and each output of a node, in the order of the graph: name, type, shape, and origin; then a line
// for each unknown size that several tensors share. A node with an error has "?" for its outputs.
std::string ShapesText(const Resolution& resolution, const Graph& graph);

}  // namespace opsrun::host
