// host/gradient/gradient_flow.h: which nodes gradients flow through.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/dtype.h"
#include "host/gradient/differentiate.h"
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

// Whether gradients have the shapes of their tensors.

// False if the shapes differ whatever their unknown sizes are.
bool MayBeEqual(const ResolvedShape& a, const ResolvedShape& b);

// G302 for each op whose declared gradient gives an input a gradient of another shape. resolution: of with_gradients,
// which is WithGradients of the graph and these gradients. The places are those of the graph.
bool CheckGradientShapes(const Graph& graph, const Graph& with_gradients, const Resolution& resolution,
                         const DerivedGradients& gradients, Diagnostics& diagnostics);

// Declared feeds that stand for gradients, as long as these do not exist.

// The declared feeds with the name of a gradient, and which element of request.wrt it is the gradient of.
std::map<std::string, size_t> FilledFeeds(const Graph& graph, const GradientRequest& request);

// False after errors: G304 for a feed that has not the type and shape of the gradient, G205 for one on which a tensor
// that is differentiated depends. of, wrt: values of the request.
bool CheckFilledFeeds(const Graph& graph, const Resolution& resolution, const std::map<std::string, size_t>& filled,
                      const std::vector<uint32_t>& of, const std::vector<uint32_t>& wrt, Diagnostics& diagnostics);

}  // namespace opsrun::host
