// host/graph/graph_files.h: the files that a graph names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/graph/graph.h"
#include "host/yaml/reporter.h"

namespace opsrun::host {

struct GraphFile {
  std::string path;      // as seen from the current directory
  std::string identity;  // FileIdentity of it
  std::string what;      // "the graph", "feed 'x'", "output 'y'", "a check"
  Span where;            // in the graph; no place for the graph itself
};

// The graph file itself and the files of feeds and checks.
std::vector<GraphFile> FilesRead(const Graph& graph);

// The files of outputs.
std::vector<GraphFile> FilesWritten(const Graph& graph);

// An error G116 for each output whose file is one that the graph reads.
void RefuseOverwrites(const Graph& graph, Reporter& reporter);

}  // namespace opsrun::host
