// host/engine/loaded_graph.h: a graph, from a text or built with function calls, with the plugins that it needs, all
// errors found in it, its plans and its gradients, and its checks against its caller and this machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/status.h"
#include "host/engine/engine.h"
#include "host/examine/catalog.h"
#include "host/gradient/differentiate.h"
#include "host/graph/graph.h"
#include "host/plan/build_plan.h"
#include "host/plan/plan.h"
#include "host/run/lane.h"
#include "host/tensor/mapped_files.h"
#include "host/tensor/tensor.h"
#include "host/yaml/value.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

class LockCheck;
class PlannedGraph;

// Milliseconds spent on loading and planning.
struct LoadTimes {
  double read = 0;  // reading the text
  double open = 0;  // opening plugins
  double plan = 0;  // the first plan only
};

// Adds its lifetime to one of them.
class LoadTimer {
 public:
  explicit LoadTimer(double& ms) : ms_(ms) {}
  LoadTimer(const LoadTimer&) = delete;
  ~LoadTimer() { ms_ += std::chrono::duration<double, std::milli>(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  double& ms_;
  const Clock::time_point begin_ = Clock::now();
};

struct PlanOptions {
  std::map<std::string, FeedType> feeds;  // declared feeds whose tensors are known
  int threads = 0;                        // number of threads for the plan; 0: the engine's
  Resolution* resolution = nullptr;       // filled, even after errors; null: not needed
  bool infer_shapes = true;               // false: no shape function runs, and nothing is known about outputs
  std::vector<Device*> outputs = {};      // see PlanInputs
  bool for_runs = true;                   // see PlanInputs
  bool handle_outputs = false;            // likewise
};

// One thread at a time, except for const methods.
class LoadedGraph : public std::enable_shared_from_this<LoadedGraph> {
 public:
  ~LoadedGraph();

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
  const std::string& device() const { return device_; }  // as in LoadOptions
  // Files that a run has to check, since nobody else does.
  std::vector<MappedFile> mapped_files() const;

  // Plans the parts without errors, so that all errors are found at once. Null if there is any error. Requires:
  // graph().
  std::shared_ptr<const PlannedGraph> Plan(const PlanOptions& options = {});
  // The same for further plans, with errors in `diagnostics`. From any thread once the graph is loaded.
  std::shared_ptr<const PlannedGraph> Plan(const PlanOptions& options, Diagnostics& diagnostics) const;

  // Only the types of the first node. Nothing after errors. From any thread once the graph is loaded.
  std::optional<TypedNode> TypeFirstNode(Diagnostics& diagnostics) const;

 private:
  PlanInputs InputsFor(const PlanOptions& options) const;
  // lock: of the graph, to compare the plan with; null: none.
  std::shared_ptr<const PlannedGraph> Plan(const PlanOptions& options, CompiledText* compiled, LockCheck* lock,
                                           Diagnostics& diagnostics) const;
  friend class Engine;
  LoadedGraph(std::shared_ptr<Engine> engine, const LoadOptions& options, std::shared_ptr<const SourceFile> source);
  void Read(bool only_runs);
  std::shared_ptr<LoadedGraph> Located(const LoadOptions& options) const;
  template <typename Again>
  void Explain(const Diagnostics& found, Diagnostics& diagnostics, Again again) const;
  void OpenPlugins();
  void CheckLock(const std::string& path, LockUse use);

  // Each member uses those above it, even during destruction.
  const std::shared_ptr<Engine> engine_;
  std::shared_ptr<const SourceFile> source_;
  const std::string device_;
  std::shared_ptr<const Graph> graph_;
  std::shared_ptr<Graph> read_;         // the same, if the first plan may compile it; null after that
  std::function<std::string()> write_;  // for a graph in memory
  mutable std::once_flag located_once_;
  mutable std::shared_ptr<const Graph> located_;  // null: the written text could not be read without errors
  mutable std::shared_ptr<const SourceFile> written_;
  std::shared_ptr<const Catalog> catalog_;
  std::shared_ptr<const LoadResult> plugins_ = std::make_shared<const LoadResult>();
  // Smaller ones are read: programs overwrite files while their graphs live.
  static constexpr size_t kLeastOwnFile = size_t{32} << 20;
  const std::shared_ptr<MappedFiles> own_files_;  // null: the engine's are used
  const std::unique_ptr<GraphConstants> constants_;
  std::vector<std::string> held_back_;  // ops of required plugins that are not available; sorted
  std::unique_ptr<LockCheck> lock_;     // for the first plan; null after that, and without a lock
  Diagnostics diagnostics_;
  LoadTimes times_;
};

// A plan with everything that it needs. Read-only: any number of lanes may run it.
class PlannedGraph {
 public:
  PlannedGraph(std::shared_ptr<const LoadedGraph> graph, std::unique_ptr<const host::Plan> plan);

  const host::Plan& plan() const { return *plan_; }
  const LoadedGraph& loaded() const { return *graph_; }

  // The context for lanes of this plan. stop: stops their runs and must outlive them; may be null.
  LaneContext Context(const StopSignal* stop) const;

  // Lanes for `count` concurrent runs; context: as from Context. Null after an error (D101): out of memory.
  std::unique_ptr<LanePool> MakeLanes(size_t count, const LaneContext& context, Diagnostics& diagnostics) const;

 private:
  const std::shared_ptr<const LoadedGraph> graph_;
  const std::unique_ptr<const host::Plan> plan_;
  ReproNodes repro_nodes_;  // if the engine wants them
};

// The node of each step as a graph of its own; none for copies.
ReproNodes NodesAlone(const Plan& plan);

// The nodes that compute the gradients. Nothing after errors, which are in graph.diagnostics() with places in the
// graph. Opens the plugins whose ops the gradients use. Requires: graph.graph().
std::optional<DerivedGradients> DifferentiateGraph(LoadedGraph& graph, const GradientRequest& request);

// A node on a path between a differentiated tensor and one that it depends on.
struct GradientStep {
  uint32_t node = 0;
  const RegisteredOp* op = nullptr;
  NodeFlow flow = NodeFlow::kDeclared;
  bool invalid = false;  // the gradient that its op declares is invalid
};

// In the order of the graph. Nothing after errors.
std::optional<std::vector<GradientStep>> ListGradientSteps(LoadedGraph& graph, const GradientRequest& request);

// F301 for each name that is not a feed, F303 for each feed that has a value in the graph. With `all`, as for a run,
// F304 for each declared feed that is missing. Planning checks whether an array fits its feed.
void CheckFeeds(const Graph& graph, const std::vector<std::string>& given, bool all, Diagnostics& diagnostics);

// Compares the plugins that a graph requires with the notes of the plugin files; does not open any. Returns the names
// of those that are not available, with an error for each: P301 the plugin does not exist, P302 its version does not
// match.
std::vector<std::string> CheckRequires(const Graph& graph, const Catalog& catalog, Diagnostics& diagnostics);

// The same for what a lock requires, too. file: has the requirements.
struct RequiredBy {
  std::string file;
  std::string what;       // "graph"
  std::string otherwise;  // "change the range": what else helps if a version does not match
};
std::vector<std::string> CheckRequires(std::span<const Requirement> all, const RequiredBy& by, const Catalog& catalog,
                                       Diagnostics& diagnostics);

// "is version 2.0, but the graph requires '< 2'", where the "graph" is `by`.
std::string VersionMismatch(const std::string& version, std::string_view by, const std::string& range);

// The ops of the graph, as written in it, that belong or may belong to the plugins `unmet`: those that name one of
// them, and those without a plugin's name that no available plugin has. Their nodes cannot be checked.
std::vector<std::string> OpsOfUnmet(const Graph& graph, const Catalog& catalog, const std::vector<std::string>& unmet);

// Finds the errors in the gradient that the op declares, with places in GradientSource(op); see
// host/gradient/gradient_text.h. Opens the plugins whose ops it uses. Requires: the op declares a gradient.
void CheckDeclaredGradient(Engine& engine, const RegisteredOp& op, Diagnostics& diagnostics);

// The values of attrs as a graph has them. INVALID_ARGUMENT, with the name of the attr, for one that cannot be
// expressed.
Result<std::vector<NodeAttr>> AttrsOf(std::span<const opsrun_attr> attrs, const std::string& node);

// Of tensors that programs pass: strides that are null, or dense and row-major, whatever those of dimensions of size 1;
// and memory of the CPU, for which a device of zeros stands too.
bool IsDense(std::span<const int64_t> shape, const int64_t* strides);
inline bool IsCpu(const opsrun_device& device) {
  return device.id == 0 && (device.type == 0 || device.type == OPSRUN_DEVICE_CPU);
}

// The tree is read directly, without text. Only if there is an error is the text of the graph file written, so that the
// message has a line and a column. One thread at a time.
class GraphBuilder {
 public:
  // A feed that every run must set. shape: -1 for an unknown size; null: any shape.
  void AddFeed(const std::string& name, DType dtype, const Shape* shape);
  // A feed whose value is part of the graph.
  void AddConstant(const std::string& name, Tensor value);
  // Names and references need not be valid: Load checks them.
  void AddNode(const Node& node) { AddEntry(nodes_, node.name.value, NodeValue(node)); }
  void AddOutput(const std::string& name, const std::string& from);

  // The text of a graph file.
  std::string ToYaml() const;

  // Loads the graph and checks its names and references; messages call it `name`. The builder can be used afterwards.
  std::shared_ptr<LoadedGraph> Load(Engine& engine, const std::string& name, const LoadOptions& options = {}) const;

 private:
  Value Tree(bool whole) const;

  Value feeds_, nodes_, outputs_;
  std::map<std::string, Tensor> constants_;  // declared in feeds_ without their values
};

}  // namespace opsrun::host
