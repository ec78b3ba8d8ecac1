// host/graph/feed_files.h: arrays for the declared feeds of a graph, in files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/diagnostic.h"

namespace opsrun::host {

// A declared feed that is to be read from an array of an archive.
struct FeedFile {
  std::string feed;
  std::string npz;  // relative to the graph file
  std::string key;
};

// The text of the graph file with these files in its feeds; comments are lost. Requires: the source holds a graph, which
// declares the feeds.
std::string WithFeedFiles(const SourceFile& source, const std::vector<FeedFile>& files);

}  // namespace opsrun::host
