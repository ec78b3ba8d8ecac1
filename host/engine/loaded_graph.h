// host/engine/loaded_graph.h: a graph with the plugins that it needs, all errors found in it, and its plans.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/engine/engine.h"
#include "host/graph/graph.h"
#include "host/plan/build_plan.h"
#include "host/plan/plan.h"
#include "host/plan/resolution.h"
#include "host/run/lane.h"

namespace opsrun::host {

class PlannedGraph;

// Milliseconds spent on loading and planning.
struct LoadTimes {
  double read = 0;  // reading the text
  double open = 0;  // opening plugins
  double plan = 0;  // the first plan only
};

struct PlanOptions {
  std::map<std::string, FeedType> feeds;  // declared feeds whose tensors are known
  int threads = 0;                        // number of threads for the plan; 0: the engine's
  Resolution* resolution = nullptr;       // filled, even after errors; null: not needed
  bool infer_shapes = true;               // false: no shape function runs, and nothing is known about outputs
};

// One thread at a time, except for const methods.
class LoadedGraph : public std::enable_shared_from_this<LoadedGraph> {
 public:
  // A graph of the same ops as this one, without errors, which shares the plugins.
  std::shared_ptr<LoadedGraph> WithGraph(std::shared_ptr<const Graph> graph, std::function<std::string()> write) const;

  Engine& engine() const { return *engine_; }
  // Null if the file could not be read, or if there is none. For a graph in memory, it is written on first use.
  const SourceFile* source() const { return share_source().get(); }
  const std::shared_ptr<const SourceFile>& share_source() const;
  // Null if the source could not be read; otherwise the graph without the parts that have errors.
  const Graph* graph() const { return graph_.get(); }
  // The same graph with a place in the source for each part. Requires: graph().
  std::shared_ptr<const Graph> located_graph() const;
  const Registry& registry() const { return plugins_->registry; }
  // The errors of loading and of Plan; sorted by place after Plan.
  Diagnostics& diagnostics() { return diagnostics_; }
  const LoadTimes& times() const { return times_; }

  // Plans the parts without errors, so that all errors are found at once. Null if there is any error. Requires:
  // graph().
  std::shared_ptr<const PlannedGraph> Plan(const PlanOptions& options = {});
  // The same for further plans, with errors in `diagnostics`. From any thread once the graph is loaded.
  std::shared_ptr<const PlannedGraph> Plan(const PlanOptions& options, Diagnostics& diagnostics) const;

  // Only the types of the first node. Nothing after errors. From any thread once the graph is loaded.
  std::optional<TypedNode> TypeFirstNode(Diagnostics& diagnostics) const;

 private:
  PlanInputs InputsFor(const PlanOptions& options) const;
  friend class Engine;
  LoadedGraph(std::shared_ptr<Engine> engine, const LoadOptions& options, std::shared_ptr<const SourceFile> source)
      : engine_(std::move(engine)), source_(std::move(source)) {
    if (options.strict) diagnostics_.RefuseWarnings();
  }
  void Read();
  std::shared_ptr<LoadedGraph> Located(const LoadOptions& options) const;
  template <typename Again>
  void Explain(const Diagnostics& found, Diagnostics& diagnostics, Again again) const;
  void OpenPlugins();

  // Each member uses those above it, even during destruction.
  const std::shared_ptr<Engine> engine_;
  std::shared_ptr<const SourceFile> source_;
  std::shared_ptr<const Graph> graph_;
  std::function<std::string()> write_;  // for a graph in memory
  mutable std::once_flag located_once_;
  mutable std::shared_ptr<const Graph> located_;  // null: the written text could not be read without errors
  mutable std::shared_ptr<const SourceFile> written_;
  std::shared_ptr<const Catalog> catalog_;
  std::shared_ptr<const LoadResult> plugins_ = std::make_shared<const LoadResult>();
  const std::unique_ptr<GraphConstants> constants_ = std::make_unique<GraphConstants>();
  std::vector<std::string> held_back_;  // ops of required plugins that are not available; sorted
  Diagnostics diagnostics_;
  LoadTimes times_;
};

// A plan with everything that it needs. Read-only: any number of lanes may run it.
class PlannedGraph {
 public:
  PlannedGraph(std::shared_ptr<const LoadedGraph> graph, std::unique_ptr<const host::Plan> plan)
      : graph_(std::move(graph)), plan_(std::move(plan)) {}

  const host::Plan& plan() const { return *plan_; }
  const LoadedGraph& loaded() const { return *graph_; }

  // The context for lanes of this plan. stop: stops their runs and must outlive them; may be null.
  LaneContext Context(const StopSignal* stop) const;

  // Lanes for `count` concurrent runs. Null after an error (D101): out of memory.
  std::unique_ptr<LanePool> MakeLanes(size_t count, const StopSignal* stop, Diagnostics& diagnostics) const;

 private:
  const std::shared_ptr<const LoadedGraph> graph_;
  const std::unique_ptr<const host::Plan> plan_;
};

}  // namespace opsrun::host
