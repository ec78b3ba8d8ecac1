// host/cli/graph_file.h: a graph on its way from a file to a plan, with everything that was found wrong with it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/graph/graph.h"
#include "host/plan/build_plan.h"

namespace opsrun::host {

struct GraphFile {
  std::string path;                          // as the user wrote it
  std::shared_ptr<const SourceFile> source;  // null if the file cannot be read
  std::shared_ptr<const Graph> graph;  // null if nothing can be made of it; otherwise what is left without the mistakes
  std::vector<std::string> held_back;  // ops of plugins that the graph requires and that are not there; sorted
  Diagnostics diagnostics;
};

// A file that cannot be read is an error (G000) in the answer's diagnostics. strict: they take no warnings, only
// errors. A large file is read by so many threads.
GraphFile ReadGraphFile(const std::string& path, int threads, bool strict = false);

// Compares the plugins with those that the graph requires: an error for each that is not there, and its ops are held
// back. Requires: file.graph.
void CheckRequirements(GraphFile& file, const Catalog& catalog);

// The op names to open plugins for: none that is held back. Sorted. Requires: file.graph.
std::vector<std::string> OpsToOpen(const GraphFile& file);

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
