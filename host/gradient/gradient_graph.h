// host/gradient/gradient_graph.h: a graph together with the nodes that compute its gradients.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/gradient/differentiate.h"
#include "host/graph/graph.h"
#include "host/plan/resolution.h"

namespace opsrun::host {

// The graph with the constants and nodes of `gradients`, and with each gradient as an output, after its own outputs.
// All outputs are printed, none is written to a file. Messages about the new nodes use the places that these have.
Graph WithGradients(const Graph& graph, const GradientRequest& request, const DerivedGradients& gradients);

// The name of the gradient of a tensor: "grad_w"; "grad_z_sum" for "z.sum".
std::string GradientName(const std::string& tensor);

// The names of the outputs that hold the gradients of request.wrt. A number is appended if the graph has another output
// or tensor of that name.
std::vector<std::string> GradientOutputNames(const Graph& graph, const GradientRequest& request,
                                             const DerivedGradients& gradients);

// Removes nodes that change nothing: sums, reshapes and broadcasts to the shape that a tensor already has, and
// conjugates of real tensors; then everything unused. resolution: of WithGradients.
void Simplify(const Graph& with_gradients, const Resolution& resolution, DerivedGradients& gradients);

// The text of a graph file for WithGradients. Paths in it are relative to `directory`, which is relative to the current
// one. Comments of the original are lost; its other keys are kept. Requires: graph.source holds a graph file.
std::string GradientGraphText(const Graph& graph, const GradientRequest& request, const DerivedGradients& gradients,
                              const std::string& directory);

}  // namespace opsrun::host
