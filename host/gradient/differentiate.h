// host/gradient/differentiate.h: the nodes that compute gradients of a planned graph, by reverse mode. Read this first.
//
// The gradient of an output with respect to each value is computed from the last node to the first: what each op
// declares gives the gradients of a node's inputs from those of its outputs; the gradients that reach one value on
// several paths are added. The result is nodes of the same language, so a graph with them can be written, planned, run,
// and differentiated again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/gradient/derived_graph.h"
#include "host/gradient/node_gradient.h"
#include "host/graph/graph.h"
#include "host/plan/resolution.h"

namespace opsrun::host {

// A tensor that is differentiated.
struct GradientOf {
  Reference tensor;
  std::optional<Reference> gradient;  // a tensor of its type and shape; without one: ones, the gradient of its sum
};

struct GradientRequest {
  std::vector<GradientOf> of;  // several: the gradient of their sum
  std::vector<Reference> wrt;  // feeds and outputs of nodes
  // By node: the gradients of nodes whose ops declare none, in the language of declared gradients.
  std::map<std::string, std::string> given;
  bool fill_feeds = true;  // see DerivedGradients::filled; otherwise such feeds stay
};

// What is given for a node whose op declares no gradient, or null.
const std::string* GivenGradient(const GradientRequest& request, const Node& node, const RegisteredOp& op);

// What one use of a tensor as the input of a node adds to the gradient of the tensor.
struct InputGradient {
  uint32_t node = 0;  // of the original graph
  std::string arg;    // the name of the input in the op
  DerivedTensor input;
  DerivedTensor gradient;
};

struct DerivedGradients {
  std::vector<Feed> constants;           // feeds with a value
  std::vector<Node> nodes;               // each with `gradient_of`
  std::vector<DerivedTensor> gradients;  // for each element of GradientRequest::wrt
  std::vector<InputGradient> of_inputs;  // before Simplify
  // Declared feeds of the graph that have the name of a gradient, such as "grad_w": what they are replaced by. So a
  // graph can use its gradients before they exist.
  std::map<std::string, size_t> filled;  // to an index in `gradients`
};

// Where messages about a declared gradient point to.
enum class GradientPlaces {
  kGraph,     // to the node whose gradient it is
  kDeclared,  // into the text of the declared gradient
};

// The ops that differentiation itself uses, beside those of declared gradients: AddN, OnesLike, ZerosLike.
const std::vector<std::string>& DifferentiationOps();

// Nothing after errors: G204 to G209 for references that name no tensor, G301 for each op on the way that declares no
// gradient, G302 for each that declares an invalid one, G306 for tensors that have none. A tensor of `wrt` on which
// nothing depends has a gradient of zeros, and a warning, G307. Requires: the graph was planned without errors;
// ops.loaded has the ops of the graph, of their gradients, and DifferentiationOps().
std::optional<DerivedGradients> Differentiate(const Graph& graph, const Resolution& resolution,
                                              const GradientRequest& request, const GradientOps& ops,
                                              GradientPlaces places, Diagnostics& diagnostics);

// How to go on after G302.
std::string InvalidGradientHelp(const RegisteredOp& op);

// The value that a reference names: a tensor, or an output of the graph. Nothing after an error G204.
std::optional<uint32_t> FindValue(const Reference& reference, const Graph& graph, const Resolution& resolution,
                                  Diagnostics& diagnostics);

}  // namespace opsrun::host
