// host/gradcheck/graph_function.h: a graph as a function of its declared feeds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/base/status.h"
#include "host/engine/loaded_graph.h"
#include "host/run/lane_pool.h"

namespace opsrun::host {

// One thread at a time.
class GraphFunction {
 public:
  // Null after errors. feeds: the declared feeds, each with a value of the type and shape that all calls will have.
  static std::unique_ptr<GraphFunction> Create(Engine& engine, std::shared_ptr<const Graph> graph,
                                               const std::map<std::string, Tensor>& feeds, Diagnostics& diagnostics);

  void Set(const std::string& feed, const Tensor& value);
  // The outputs of the graph. A failure names the node and the reason.
  Result<std::vector<Tensor>> Run();

  const LoadedGraph& loaded() const { return *loaded_; }

 private:
  GraphFunction() = default;

  std::shared_ptr<LoadedGraph> loaded_;
  std::shared_ptr<const PlannedGraph> planned_;
  std::unique_ptr<LanePool> lanes_;
};

}  // namespace opsrun::host
