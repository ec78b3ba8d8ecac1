// host/graph/read_feeds.h: the section "feeds".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/graph/graph.h"
#include "host/yaml/reporter.h"

namespace opsrun::host {

// Adds the feeds to `graph`, values converted; names of those with mistakes go to its left_out. A feed that is only
// declared has a dtype.
void ReadFeeds(const Value& section, Graph& graph, Reporter& reporter);

}  // namespace opsrun::host
