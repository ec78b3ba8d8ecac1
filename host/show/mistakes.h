// host/show/mistakes.h: assigns errors to the parts of a graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/base/diagnostic.h"
#include "host/graph/graph.h"

namespace opsrun::host {

using Mistakes = std::vector<const Diagnostic*>;

// By the places of the errors in the file; warnings are ignored.
struct MistakesByPart {
  std::vector<Mistakes> feeds;    // as the graph's
  std::vector<Mistakes> nodes;    // as the graph's
  std::vector<Mistakes> outputs;  // as the graph's
  Mistakes others;                // also those of parts that the graph lacks because of them
};

// The result refers to `diagnostics`.
MistakesByPart SortMistakes(const Graph& graph, const Diagnostics& diagnostics);

}  // namespace opsrun::host
