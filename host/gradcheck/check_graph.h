// host/gradcheck/check_graph.h: checks the gradient of a whole graph at the values of its feeds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "host/engine/loaded_graph.h"
#include "host/gradcheck/check_problem.h"
#include "host/graph/graph.h"
#include "host/plugin/registry.h"

namespace opsrun::host {

// request.wrt: feeds. Declared feeds get random values, and size 2 where their size is unknown. Nothing after errors,
// which are in graph.diagnostics(): those of planning and differentiating, and G306 for a `wrt` that is not a feed.
std::optional<GradientVerdict> CheckGraph(LoadedGraph& graph, const GradientRequest& request, uint64_t seed);

// A graph that computes the same in float64.

struct PreciseGraph {
  std::shared_ptr<const Graph> graph;
  std::map<std::string, Tensor> values;  // of declared feeds
};

// Changes every floating-point type of feeds, and of attrs of nodes, to float64, and complex types to complex128. The
// ops may have no kernels for these; planning reports that.
PreciseGraph MakePrecise(const Graph& graph, const std::map<std::string, Tensor>& values, const Registry& registry);

}  // namespace opsrun::host
