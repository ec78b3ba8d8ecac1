// host/cli/feed_files.h: the arrays that --feed names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/cli/command_line.h"
#include "host/graph/graph.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// Reads the file of each argument. Errors: F301 the graph has no such feed, F302 the file cannot be read, F303 the feed
// has a value in the graph. Whether an array fits its feed is found when the graph is planned.
std::map<std::string, Tensor> ReadFeedFiles(const std::vector<FeedArgument>& arguments, const Graph& graph,
                                            Diagnostics& diagnostics);

// F304 for each feed that the graph declares and `arguments` do not name: nothing can run without it.
void RequireFeeds(const std::vector<FeedArgument>& arguments, const Graph& graph, Diagnostics& diagnostics);

}  // namespace opsrun::host
