// host/plan/explain/forward_node.cc: see forward_node.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/explain/forward_node.h"

#include <fmt/core.h>

#include <algorithm>

namespace opsrun::host {

void MarkForwardNode(const Graph& graph, const Node& node, Diagnostic& error) {
  if (!node.gradient_of) return;
  const auto forward = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                    [&](const Node& each) { return each.name.value == node.gradient_of->value; });
  if (forward == graph.nodes.end() || forward->name.span.begin == error.where.begin) return;
  error.also.push_back(
      {forward->name.span, fmt::format("'{}' is a part of the gradient of this node", node.name.value)});
}

void MarkForwardNodes(const Graph& graph, std::vector<Diagnostic>& errors) {
  for (Diagnostic& error : errors) {
    const auto node = std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const Node& each) {
      return each.gradient_of && each.name.span.begin <= error.where.begin && error.where.begin < each.span.end;
    });
    if (error.where.known() && node != graph.nodes.end()) MarkForwardNode(graph, *node, error);
  }
}

}  // namespace opsrun::host
