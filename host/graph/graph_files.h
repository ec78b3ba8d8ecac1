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

// Arrays for the declared feeds of a graph, in files.

// A declared feed that is to be read from an array of an archive.
struct FeedFile {
  std::string feed;
  std::string npz;  // relative to the graph file
  std::string key;
};

// The text of the graph file with these files in its feeds; comments are lost. Requires: the source holds a graph,
// which declares the feeds.
std::string WithFeedFiles(const SourceFile& source, const std::vector<FeedFile>& files);

}  // namespace opsrun::host
