// host/cli/graph_options.h: the options of commands that plan or run a graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/cli/options.h"

namespace opsrun::host {

// --feed NAME=FILE.npy, NAME=FILE.npz or NAME=FILE.npz:KEY
struct FeedArgument {
  std::string name;
  std::string path;
  std::string key;  // of an .npz file, NAME if none is given; otherwise empty
};

// 0: not given.
struct GraphOptions {
  std::string graph;                // "-": standard input
  std::vector<FeedArgument> feeds;  // each name once
  uint32_t threads = 0;
  uint64_t memory_limit = 0;  // bytes
  uint64_t timeout_ms = 0;
  bool strict = false;  // warnings are errors
};

void AddGraph(Options& options, std::string& graph);
void AddFeeds(Options& options, std::vector<FeedArgument>& feeds);
void AddThreads(Options& options, uint32_t& threads);
void AddStrict(Options& options, bool& strict);
// --timeout and --memory-limit
void AddLimits(Options& options, GraphOptions& graph);

}  // namespace opsrun::host
