// host/show/mistakes.h: which part of a graph each mistake is about.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/base/diagnostic.h"
#include "host/graph/graph.h"

namespace opsrun::host {

using Mistakes = std::vector<const Diagnostic*>;

// By where the errors stand in the file; warnings are left out.
struct MistakesByPart {
  std::vector<Mistakes> feeds;    // as the graph's
  std::vector<Mistakes> nodes;    // as the graph's
  std::vector<Mistakes> outputs;  // as the graph's
  Mistakes others;                // also those of parts that are so wrong that the graph is without them
};

// The answer points into `diagnostics`.
MistakesByPart SortMistakes(const Graph& graph, const Diagnostics& diagnostics);

}  // namespace opsrun::host
