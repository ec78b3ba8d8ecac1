// host/graph/read_gradient.h: reads the graph that an op declares as its gradient. Independent of ops.
//
// It has the sections feeds (constants), nodes and outputs of a graph file. A node may have `each`; `outputs` gives a
// tensor, a list or null for each input of the op. `slices` says which of these are zero but for a few slices.
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
  bool list = false;            // it is written as a list
  std::vector<Reference> from;  // one, unless it is a list or null
  bool null = false;            // the input has no gradient
  Span span;
};

// The gradient of one input in another form: zeros of the shape of the input, to which slice i of `values` is added at
// index i of `indices` along dimension `axis`. So programs that have a type for such tensors need no memory for the
// zeros. References are to inputs of the op and gradients of its outputs.
struct GradientSlices {
  Located<std::string> input;
  Reference values;
  Reference indices;
  bool vectors = false;           // each index is a vector along the last dimension of `indices`, as those of GatherNd
  std::optional<Reference> axis;  // a scalar; nothing: dimension 0
  int64_t batch_dims = 0;         // how many dimensions of the input and of `indices` are walked through together
};

struct DeclaredGradient {
  Graph graph;  // constants and nodes
  std::vector<GradientOutput> outputs;
  std::vector<GradientSlices> slices;
  Span outputs_span;
};

// root: the text of `source`, parsed; attrs of the op are already replaced by their values. Nothing, and at least one
// error with a place in `source`, if any part of it is invalid.
std::optional<DeclaredGradient> ReadGradient(Value root, std::shared_ptr<const SourceFile> source,
                                             Diagnostics& diagnostics);

// The section `slices` of a declared gradient. A part of read_gradient.cc.

// Adds to gradient.slices what the section says, with misspelled keys corrected; errors for the rest of it.
void ReadSlices(Value& section, DeclaredGradient& gradient, Reporter& reporter);

}  // namespace opsrun::host
