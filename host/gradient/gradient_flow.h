// host/gradient/gradient_flow.h: which nodes gradients flow through.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "host/base/dtype.h"
#include "host/graph/graph.h"
#include "host/plan/resolution.h"

namespace opsrun::host {

// True for floating-point and complex numbers: nothing else has a gradient.
bool HasGradient(DType dtype);

// What a node does with the gradients of its outputs.
enum class NodeFlow {
  kDeclared,           // its op declares how they flow
  kUndeclared,         // its op does not say: an error where a gradient is needed
  kNotDifferentiable,  // nothing flows: its op says so
  kOtherType,          // nothing flows: it gives integers, bools or strings
  kStopped,            // nothing flows: the graph says so
};
NodeFlow FlowOf(const Node& node, const ResolvedNode& resolved);

struct GradientFlow {
  std::vector<bool> values;      // by value: a gradient flows through it
  std::vector<uint32_t> nodes;   // through which it flows, consumers first
  std::vector<uint32_t> passed;  // the same, and nodes between `of` and `wrt` where it stops
};

// The flow from the values `of` back to the values `wrt`.
GradientFlow FindFlow(const Graph& graph, const Resolution& resolution, const std::vector<uint32_t>& of,
                      const std::vector<uint32_t>& wrt);

}  // namespace opsrun::host
