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

// True for floating-point and complex types; no others have gradients.
bool HasGradient(DType dtype);

// How gradients flow through a node.
enum class NodeFlow {
  kDeclared,           // as its op declares
  kUndeclared,         // its op declares nothing: an error where a gradient is needed
  kNotDifferentiable,  // not at all: its op says so
  kOtherType,          // not at all: its outputs are integers, bools or strings
  kStopped,            // not at all: the graph says so
};
NodeFlow FlowOf(const Node& node, const ResolvedNode& resolved);

struct GradientFlow {
  std::vector<bool> values;      // by value: a gradient flows through it
  std::vector<uint32_t> nodes;   // with flow through them, consumers first
  std::vector<uint32_t> passed;  // the same plus nodes between `of` and `wrt` where the flow stops
};

// The flow from the values `of` back to the values `wrt`.
GradientFlow FindFlow(const Graph& graph, const Resolution& resolution, const std::vector<uint32_t>& of,
                      const std::vector<uint32_t>& wrt);

// Checks that gradients have the shapes of their tensors.

// False if the shapes differ for all values of their unknown sizes.
bool MayBeEqual(const ResolvedShape& a, const ResolvedShape& b);

// Adds G302 for each op whose declared gradient gives an input a gradient of another shape, and returns false then.
// resolution: of with_gradients, which is WithGradients of the graph and these gradients. The places are those of the
// graph.
bool CheckGradientShapes(const Graph& graph, const Graph& with_gradients, const Resolution& resolution,
                         const DerivedGradients& gradients, Diagnostics& diagnostics);

// Declared feeds that stand for gradients until these exist.

// The declared feeds named like a gradient, each with the index in request.wrt of the tensor it is the gradient of.
std::map<std::string, size_t> FilledFeeds(const Graph& graph, const GradientRequest& request);

// False after errors: G304 for a feed whose type or shape is not that of the gradient, G205 for one that a
// differentiated tensor depends on. of, wrt: values of the request.
bool CheckFilledFeeds(const Graph& graph, const Resolution& resolution, const std::map<std::string, size_t>& filled,
                      const std::vector<uint32_t>& of, const std::vector<uint32_t>& wrt, Diagnostics& diagnostics);

}  // namespace opsrun::host
