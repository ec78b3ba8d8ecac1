// host/graph/graph_files.h: the files that a graph names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/graph/graph.h"
#include "host/yaml/reporter.h"

namespace opsrun::host {

struct GraphFile {
  std::string path;      // relative to the current directory
  std::string identity;  // FileIdentity of it
  std::string what;      // "the graph", "feed 'x'", "output 'y'", "a check"
  Span where;            // in the graph; none for the graph itself
};

// The graph file itself and the files of feeds and checks.
std::vector<GraphFile> FilesRead(const Graph& graph);

// The files of outputs.
std::vector<GraphFile> FilesWritten(const Graph& graph);

// Adds an error G116 for each output whose file is also read by the graph.
void RefuseOverwrites(const Graph& graph, Reporter& reporter);

// An array in an archive for a declared feed.
struct FeedFile {
  std::string feed;
  std::string npz;  // relative to the graph file
  std::string key;
};

// The text of the graph file with these files in its feeds, without comments. Requires: the source is a graph that
// declares the feeds.
std::string WithFeedFiles(const SourceFile& source, const std::vector<FeedFile>& files);

}  // namespace opsrun::host
