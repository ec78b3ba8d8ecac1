// host/cli/graph_file.h: a graph on its way from a file to a plan, with everything that was found wrong with it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "host/base/diagnostic.h"
#include "host/graph/graph.h"
#include "host/plan/build_plan.h"

namespace opsrun::host {

struct GraphFile {
  std::string path;                          // as the user wrote it
  std::shared_ptr<const SourceFile> source;  // null if the file cannot be read
  std::shared_ptr<const Graph> graph;  // null if nothing can be made of it; otherwise what is left without the mistakes
  Diagnostics diagnostics;
};

// A file that cannot be read is an error (G000) in the answer's diagnostics. strict: they take no warnings, only
// errors.
GraphFile ReadGraphFile(const std::string& path, bool strict = false);

// Whether the plugins are those that the graph requires, as far as it could be read. Otherwise the errors are added, in
// file order with those that were there, and no plugin should be opened for it.
bool RequirementsHold(GraphFile& file, const Catalog& catalog);

// What a graph is planned with.
struct PlanWith {
  const Catalog* catalog = nullptr;
  const LoadResult* loaded = nullptr;
  const opsrun_host* host = nullptr;
  Resources* resources = nullptr;
  int threads = 1;
  Resolution* resolution = nullptr;  // filled if not null, also after mistakes
};

// Plans what is left of the graph, so that all mistakes are found in one go, and puts them in file order. Null if there
// is any. Requires: file.graph.
std::unique_ptr<const Plan> PlanGraph(GraphFile& file, const PlanWith& with, std::map<std::string, Tensor> feeds);

// "3 nodes, 2 feeds, 1 output"
std::string SizeText(const Graph& graph);

}  // namespace opsrun::host
