// host/engine/differentiated_graph.h: gradients of a loaded graph, as another graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "host/engine/loaded_graph.h"
#include "host/gradient/differentiate.h"
#include "host/gradient/gradient_flow.h"

namespace opsrun::host {

// The nodes that compute the gradients. Nothing after errors, which are in graph.diagnostics() with places in the
// graph. Opens the plugins whose ops the gradients use. Requires: graph.graph().
std::optional<DerivedGradients> DifferentiateGraph(LoadedGraph& graph, const GradientRequest& request);

// A node on a path between a differentiated tensor and one that it depends on.
struct GradientStep {
  uint32_t node = 0;
  const RegisteredOp* op = nullptr;
  NodeFlow flow = NodeFlow::kDeclared;
  bool invalid = false;  // the gradient that its op declares is invalid
};

// In the order of the graph. Nothing after errors.
std::optional<std::vector<GradientStep>> ListGradientSteps(LoadedGraph& graph, const GradientRequest& request);

}  // namespace opsrun::host
