// host/engine/callable_graph.h: a loaded graph that can be called with tensors of any type and shape that it allows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "host/engine/lru_cache.h"
#include "host/engine/prepared_plan.h"

namespace opsrun::host {

// Plans once for each combination of data types and shapes of the feeds, and keeps the plans that were used last. State
// of kernel objects lives as long as their plan; shared objects live as long as the engine. Any thread.
class CallableGraph {
 public:
  // Requires: the graph has no errors.
  CallableGraph(std::shared_ptr<LoadedGraph> graph, size_t most_plans);

  const LoadedGraph& loaded() const { return *graph_; }
  // The declared feeds, in the order in which calls give them.
  const std::vector<const Feed*>& feeds() const { return feeds_; }

  // The plan for such feeds; null after errors. Requires: one element for each of feeds().
  std::shared_ptr<PreparedPlan> PlanFor(std::span<const TensorRef> feeds, Diagnostics& diagnostics);

 private:
  const std::shared_ptr<LoadedGraph> graph_;
  std::vector<const Feed*> feeds_;
  LruCache<FeedSignature, std::shared_ptr<PreparedPlan>> plans_;
};

}  // namespace opsrun::host
