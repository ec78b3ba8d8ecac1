// host/testing/made_graph.h: the host's graph for the description by a test, and the origins of its parts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/base/status.h"
#include "host/graph/graph.h"
#include "host/testing/graph_parts.h"
#include "host/testing/output_names.h"

namespace opsrun::host {

// What is at a place of the graph: a node of the test, and "input:x", "attr:N" or nothing.
struct GraphPlace {
  size_t node = 0;
  std::string subject;
};

// An array that is set for each run.
struct FedArray {
  std::string feed;
  size_t node = 0, input = 0, element = 0;
};

struct MadeGraph {
  std::shared_ptr<const Graph> graph;
  std::vector<GraphPlace> places;  // by line, from 1: the graph has no file, so lines can identify places
  std::vector<FedArray> fed;
  // By node. outputs: for each tensor its index in graph->outputs, or -1 if it has no values outside a run. readers,
  // late: the names of outputs and inputs in MemorySeen, empty if none.
  std::vector<std::vector<int>> outputs;
  std::vector<std::vector<std::string>> readers, late;

  const GraphPlace* PlaceOf(Span where) const;
};

// INVALID_ARGUMENT if the test is invalid: a malformed array, or two nodes with the same name.
Result<MadeGraph> MakeGraph(const test::GraphParts& parts, const PluginSet& plugins);

}  // namespace opsrun::host
