// host/engine/loaded_graph.h: a graph with the plugins that it needs and all that was found wrong with it; its plans.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/engine/engine.h"
#include "host/graph/graph.h"
#include "host/plan/build_plan.h"
#include "host/plan/plan.h"
#include "host/plan/resolution.h"
#include "host/run/lane_pool.h"

namespace opsrun::host {

class PlannedGraph;

// Milliseconds that loading and planning took.
struct LoadTimes {
  double read = 0;  // the text
  double open = 0;  // opening plugins
  double plan = 0;  // but for further plans
};

struct PlanOptions {
  std::map<std::string, FeedType> feeds;  // declared feeds whose tensors are known
  int threads = 0;                        // that the plan is made for; 0: those of the engine
  Resolution* resolution = nullptr;       // filled, also after mistakes; null: nobody wants to know
};

// One thread at a time, but for const methods.
class LoadedGraph : public std::enable_shared_from_this<LoadedGraph> {
 public:
  static std::shared_ptr<LoadedGraph> FromFile(std::shared_ptr<Engine> engine, const std::string& path,
                                               const LoadOptions& options);
  static std::shared_ptr<LoadedGraph> FromText(std::shared_ptr<Engine> engine, std::shared_ptr<const SourceFile> source,
                                               const LoadOptions& options);
  static std::shared_ptr<LoadedGraph> FromGraph(std::shared_ptr<Engine> engine, std::shared_ptr<const Graph> graph,
                                                const LoadOptions& options);

  Engine& engine() const { return *engine_; }
  // Null if the file could not be read, or if there is none.
  const SourceFile* source() const { return source_.get(); }
  const std::shared_ptr<const SourceFile>& share_source() const { return source_; }
  // Null if nothing can be made of the source; otherwise what is left without the parts that have mistakes.
  const Graph* graph() const { return graph_.get(); }
  const Registry& registry() const { return plugins_.registry; }
  // What was found while loading, and by Plan; in file order after Plan.
  Diagnostics& diagnostics() { return diagnostics_; }
  const LoadTimes& times() const { return times_; }

  // Errors for names that are no feeds (F301) or have a value in the graph (F303); with `all`, as a run needs them, for
  // declared feeds that are not given (F304). Requires: graph().
  void CheckFeeds(const std::vector<std::string>& given, bool all);

  // Plans what is left of the graph, so that all mistakes are found in one go. Null if there is any. Requires: graph().
  std::shared_ptr<const PlannedGraph> Plan(const PlanOptions& options = {});
  // The same for further plans, whose mistakes go elsewhere. From any thread once the graph is loaded.
  std::shared_ptr<const PlannedGraph> Plan(const PlanOptions& options, Diagnostics& diagnostics) const;

 private:
  LoadedGraph(std::shared_ptr<Engine> engine, const LoadOptions& options) : engine_(std::move(engine)) {
    if (options.strict) diagnostics_.RefuseWarnings();
  }
  void Read(std::shared_ptr<const SourceFile> source);
  void OpenPlugins();

  // Each uses those above it, also while it is destroyed.
  const std::shared_ptr<Engine> engine_;
  std::shared_ptr<const SourceFile> source_;
  std::shared_ptr<const Graph> graph_;
  std::shared_ptr<const Catalog> catalog_;
  LoadResult plugins_;
  std::vector<std::string> held_back_;  // ops of plugins that the graph requires and that are not there; sorted
  Diagnostics diagnostics_;
  LoadTimes times_;
};

// A plan, with all that it needs to live. Only read: any number of lanes may run it.
class PlannedGraph {
 public:
  PlannedGraph(std::shared_ptr<const LoadedGraph> graph, std::unique_ptr<const host::Plan> plan)
      : graph_(std::move(graph)), plan_(std::move(plan)) {}

  const host::Plan& plan() const { return *plan_; }
  const LoadedGraph& loaded() const { return *graph_; }

  // What lanes of this plan use. stop: ends their runs; outlives them; null: nothing does.
  LaneContext Context(const StopSignal* stop) const;

  // A lane for each of `count` runs at the same time. Null after an error (D101): there is no memory for them.
  std::unique_ptr<LanePool> MakeLanes(size_t count, const StopSignal* stop, Diagnostics& diagnostics) const;

 private:
  const std::shared_ptr<const LoadedGraph> graph_;
  const std::unique_ptr<const host::Plan> plan_;
};

}  // namespace opsrun::host
