// host/graph/read_gradient.h: reads the graph that an op declares as its gradient. Does not depend on ops.
//
// It has the sections feeds (constants), nodes and outputs of a graph file. A node may have `each`. `outputs` has a
// tensor, a list or null for each input of the op. `slices` declares gradients that are zero except for a few slices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/graph/graph.h"
#include "host/yaml/reporter.h"
#include "host/yaml/value.h"

namespace opsrun::host {

// The gradient of one input of the op.
struct GradientOutput {
  Located<std::string> input;
  bool list = false;            // written as a list
  std::vector<Reference> from;  // one, unless it is a list or null
  bool null = false;            // the input has no gradient
  Span span;
};

// An alternative form of the gradient of one input: zeros in the shape of the input, to which slice i of `values` is
// added at index i of `indices` along dimension `axis`. Programs with a type for such tensors then need no memory for
// the zeros. References are to inputs of the op and to gradients of its outputs.
struct GradientSlices {
  Located<std::string> input;
  Reference values;
  Reference indices;
  bool vectors = false;           // each index is a vector along the last dimension of `indices`, as in GatherNd
  std::optional<Reference> axis;  // a scalar; default: dimension 0
  int64_t batch_dims = 0;         // number of leading dimensions that the input and `indices` have in common
};

struct DeclaredGradient {
  Graph graph;  // constants and nodes
  std::vector<GradientOutput> outputs;
  std::vector<GradientSlices> slices;
  Span outputs_span;
};

// Returns nothing, and at least one error with a location in `source`, if any part is invalid. root: the parsed text of
// `source`, in which attrs of the op were already replaced by their values.
std::optional<DeclaredGradient> ReadGradient(Value root, std::shared_ptr<const SourceFile> source,
                                             Diagnostics& diagnostics);

}  // namespace opsrun::host
