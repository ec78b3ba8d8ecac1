// host/engine/check_feeds.h: compares the feeds that a caller passes with those that a graph declares. Private to this
// room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/graph/graph.h"

namespace opsrun::host {

// F301 for each name that is not a feed, F303 for each feed that has a value in the graph. With `all`, as for a run,
// F304 for each declared feed that is missing. Planning checks whether an array fits its feed.
void CheckFeeds(const Graph& graph, const std::vector<std::string>& given, bool all, Diagnostics& diagnostics);

}  // namespace opsrun::host
