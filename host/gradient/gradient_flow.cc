// host/gradient/gradient_flow.cc: see gradient_flow.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/gradient/gradient_flow.h"

#include <algorithm>

namespace opsrun::host {
namespace {

class FlowFinder {
 public:
  FlowFinder(const Graph& graph, const Resolution& resolution) : graph_(graph), resolution_(resolution) {}

  // through_all: also through nodes that stop gradients.
  std::vector<bool> DependOn(const std::vector<uint32_t>& values, bool through_all) const {
    std::vector<bool> marked = Mark(values);
    for (const uint32_t node : resolution_.order) {
      const ResolvedNode& resolved = resolution_.nodes[node];
      if (Passes(node, through_all) && Any(resolved.inputs, marked)) SetOutputs(resolved, marked);
    }
    return marked;
  }

  // through_all: also through nodes and values that stop gradients.
  std::vector<bool> NeededFor(const std::vector<uint32_t>& values, bool through_all) const {
    std::vector<bool> marked = Mark(values);
    for (auto node = resolution_.order.rbegin(); node != resolution_.order.rend(); ++node) {
      const ResolvedNode& resolved = resolution_.nodes[*node];
      if (!Passes(*node, through_all) || !AnyOutput(resolved, marked)) continue;
      for (const uint32_t input : resolved.inputs) marked[input] = marked[input] || through_all || Flows(input);
    }
    return marked;
  }

  std::vector<uint32_t> Between(const std::vector<bool>& depend, const std::vector<bool>& needed,
                                bool through_all) const {
    std::vector<uint32_t> nodes;
    for (auto node = resolution_.order.rbegin(); node != resolution_.order.rend(); ++node) {
      const ResolvedNode& resolved = resolution_.nodes[*node];
      if (Passes(*node, through_all) && Any(resolved.inputs, depend) && AnyOutput(resolved, needed)) {
        nodes.push_back(*node);
      }
    }
    return nodes;
  }

 private:
  bool Flows(uint32_t value) const { return HasGradient(resolution_.values[value].dtype); }

  bool Passes(uint32_t node, bool through_all) const {
    if (resolution_.nodes[node].first_output == ResolvedNode::kNone) return false;
    const NodeFlow flow = FlowOf(graph_.nodes[node], resolution_.nodes[node]);
    return through_all || flow == NodeFlow::kDeclared || flow == NodeFlow::kUndeclared;
  }

  std::vector<bool> Mark(const std::vector<uint32_t>& values) const {
    std::vector<bool> marked(resolution_.values.size());
    for (const uint32_t value : values) marked[value] = true;
    return marked;
  }

  static bool Any(const std::vector<uint32_t>& values, const std::vector<bool>& marked) {
    return std::any_of(values.begin(), values.end(), [&](uint32_t value) { return marked[value]; });
  }

  static bool AnyOutput(const ResolvedNode& node, const std::vector<bool>& marked) {
    const size_t count = node.signature->out_types.size();
    for (size_t i = 0; i < count; ++i) {
      if (marked[node.first_output + i]) return true;
    }
    return false;
  }

  void SetOutputs(const ResolvedNode& node, std::vector<bool>& marked) const {
    for (uint32_t i = 0; i < node.signature->out_types.size(); ++i) {
      const uint32_t value = node.first_output + i;
      marked[value] = marked[value] || Flows(value);
    }
  }

  const Graph& graph_;
  const Resolution& resolution_;
};

}  // namespace

bool HasGradient(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
    case DType::kBFloat16:
    case DType::kFloat32:
    case DType::kFloat64:
    case DType::kComplex64:
    case DType::kComplex128:
      return true;
    default:
      return IsFloat8(dtype);
  }
}

NodeFlow FlowOf(const Node& node, const ResolvedNode& resolved) {
  if (node.stop_gradient) return NodeFlow::kStopped;
  if ((resolved.op->def.flags & OPSRUN_OP_NOT_DIFFERENTIABLE) != 0) return NodeFlow::kNotDifferentiable;
  const std::vector<DType>& types = resolved.signature->out_types;
  if (std::none_of(types.begin(), types.end(), HasGradient)) return NodeFlow::kOtherType;
  return resolved.op->gradient.empty() ? NodeFlow::kUndeclared : NodeFlow::kDeclared;
}

GradientFlow FindFlow(const Graph& graph, const Resolution& resolution, const std::vector<uint32_t>& of,
                      const std::vector<uint32_t>& wrt) {
  const FlowFinder finder(graph, resolution);
  GradientFlow flow;
  flow.passed = finder.Between(finder.DependOn(wrt, true), finder.NeededFor(of, true), true);
  flow.values = finder.DependOn(wrt, false);
  const std::vector<bool> needed = finder.NeededFor(of, false);
  flow.nodes = finder.Between(flow.values, needed, false);
  for (size_t i = 0; i < needed.size(); ++i) flow.values[i] = flow.values[i] && needed[i];
  return flow;
}

}  // namespace opsrun::host
