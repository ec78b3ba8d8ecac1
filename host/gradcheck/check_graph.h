// host/gradcheck/check_graph.h: is the gradient of a whole graph right at the values of its feeds?
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "host/engine/loaded_graph.h"
#include "host/gradcheck/check_problem.h"

namespace opsrun::host {

// request.wrt: feeds. Declared feeds get random values, of size 2 where their size is unknown. Nothing after errors,
// which are in graph.diagnostics(): those of planning and differentiating, and G306 for something that is not a feed.
std::optional<GradientVerdict> CheckGraph(LoadedGraph& graph, const GradientRequest& request, uint64_t seed);

}  // namespace opsrun::host
