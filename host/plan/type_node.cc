// host/plan/type_node.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/type_node.h"

#include <utility>

#include "host/plan/planning.h"

namespace opsrun::host {

std::optional<TypedNode> TypeNode(const PlanInputs& inputs, Diagnostics& diagnostics) {
  Plan plan(inputs.graph);
  Planning p(inputs, diagnostics, plan);
  PlanFeeds(p);
  PlanOrder(p);
  if (diagnostics.has_errors()) return std::nullopt;
  NodeWork work;
  work.node = &p.graph.nodes.front();
  work.op = FindOp(p, *work.node);
  if (work.op == nullptr || !InferTypes(p, work)) return std::nullopt;
  return TypedNode{work.op, std::move(work.signature)};
}

}  // namespace opsrun::host
