// host/cli/feed_files.h: the arrays that --feed names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/cli/graph_options.h"
#include "host/graph/graph.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// Reads the file of each argument that names a declared feed; what is wrong with other names the engine says. F302: the
// file cannot be read.
std::map<std::string, Tensor> ReadFeedFiles(const std::vector<FeedArgument>& arguments, const Graph& graph,
                                            Diagnostics& diagnostics);

// Adds to each F304, a declared feed without an array, how one is given here.
void ExplainMissingFeeds(const Graph& graph, Diagnostics& diagnostics);

}  // namespace opsrun::host
