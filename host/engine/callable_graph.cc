// host/engine/callable_graph.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/engine/callable_graph.h"

#include <utility>

namespace opsrun::host {

CallableGraph::CallableGraph(std::shared_ptr<LoadedGraph> graph, size_t most_plans)
    : graph_(std::move(graph)), plans_(most_plans) {
  for (const Feed& feed : graph_->graph()->feeds) {
    if (feed.source == Feed::Source::kDeclared) feeds_.push_back(&feed);
  }
}

std::shared_ptr<PreparedPlan> CallableGraph::PlanFor(std::span<const TensorRef> feeds, Diagnostics& diagnostics) {
  std::shared_ptr<PreparedPlan> prepared = plans_.Find([&](const FeedSignature& of) { return of.Is(feeds); });
  if (prepared != nullptr) return prepared;
  FeedSignature signature(feeds);
  PlanOptions options;
  for (size_t i = 0; i < feeds.size(); ++i) options.feeds[feeds_[i]->name.value] = signature[i];
  const std::shared_ptr<const PlannedGraph> planned = graph_->Plan(options, diagnostics);
  if (planned == nullptr) return nullptr;
  prepared = std::make_shared<PreparedPlan>(planned);
  plans_.Add(std::move(signature), prepared, prepared->bytes());
  return prepared;
}

}  // namespace opsrun::host
