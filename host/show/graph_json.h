// host/show/graph_json.h: a graph for programs that draw, list or transform graphs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/graph/graph.h"
#include "host/plan/resolution.h"

namespace opsrun::host {

// One JSON object: feeds with their types, shapes and where their values come from; nodes in the order of the graph,
// with op and plugin, inputs and outputs as in PlanJson, and the attrs that the graph gives; outputs. What is unknown
// because of an error is null or missing.
std::string GraphJson(const Graph& graph, const Resolution& resolution);

}  // namespace opsrun::host
