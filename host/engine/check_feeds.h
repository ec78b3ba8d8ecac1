// host/engine/check_feeds.h: the feeds that a caller gives, compared with those that a graph declares. Private to this
// room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/graph/graph.h"

namespace opsrun::host {

// F301 for each name that is no feed, F303 for each feed that has a value in the graph; with `all`, as a run needs
// them, F304 for each declared feed that is not given. Whether an array fits its feed is found when the graph is
// planned.
void CheckFeeds(const Graph& graph, const std::vector<std::string>& given, bool all, Diagnostics& diagnostics);

}  // namespace opsrun::host
