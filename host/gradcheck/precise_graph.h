// host/gradcheck/precise_graph.h: a graph that computes the same in float64.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "host/graph/graph.h"
#include "host/plugin/registry.h"

namespace opsrun::host {

struct PreciseGraph {
  std::shared_ptr<const Graph> graph;
  std::map<std::string, Tensor> values;  // of declared feeds
};

// Every floating-point type of feeds, and of attrs of nodes, becomes float64, complex ones complex128. Whether the ops
// have kernels for them is for planning to find out.
PreciseGraph MakePrecise(const Graph& graph, const std::map<std::string, Tensor>& values, const Registry& registry);

}  // namespace opsrun::host
