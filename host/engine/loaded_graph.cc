// SPDX-License-Identifier: Apache-2.0
#include "host/engine/loaded_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/engine/lock_check.h"
#include "host/graph/compiled_graph.h"
#include "host/graph/read_graph.h"
#include "host/plan/explain/explain.h"

namespace opsrun::host {
namespace {

// Names the node with the largest output, a hint for saving memory.
void NameLargestNode(const Plan& plan, Diagnostic& d) {
  size_t most = 0;
  const PlanValue* largest = nullptr;
  for (const PlanValue& value : plan.values) {
    if (value.memory != PlanValue::Memory::kArena) continue;
    const size_t bytes = static_cast<size_t>(*NumElements(value.shape())) * DTypeSize(value.dtype);
    if (bytes >= most) largest = &value;
    most = std::max(most, bytes);
  }
  if (largest == nullptr) return;
  const Node& node = plan.NodeOf(plan.steps[largest->producer]);
  d.file = plan.graph().source->path;
  d.where = node.name.span;
  d.label = fmt::format("makes the largest output: {} {} is {} bytes", DTypeName(largest->dtype),
                        ShapeText(largest->shape()), most);
}

// Runs a small plan once, on the calling thread. See RunAhead.
std::optional<std::vector<Tensor>> RunAlone(Engine& engine, const Plan& plan, Diagnostics& diagnostics) {
  const Result<std::unique_ptr<Lane>> lane = Lane::Create(plan, {&engine.device(), engine.host()});
  if (!lane.ok()) return std::nullopt;
  if (const std::optional<RunFailure> failure = (*lane)->Run()) {
    // With other codes the kernel may succeed in a whole run, which has more memory, threads, and objects of other
    // nodes.
    const int32_t code = failure->status.code();
    if (code == OPSRUN_INVALID_ARGUMENT || code == OPSRUN_OUT_OF_RANGE) {
      diagnostics.all().push_back(DescribeFailure(plan, *failure));
    }
    return std::nullopt;
  }
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    Result<Tensor> output = (*lane)->Output(i);
    if (!output.ok()) return std::nullopt;
    outputs.push_back(*std::move(output));
  }
  return outputs;
}

}  // namespace

LoadedGraph::LoadedGraph(std::shared_ptr<Engine> engine, const LoadOptions& options,
                         std::shared_ptr<const SourceFile> source)
    : engine_(std::move(engine)),
      source_(std::move(source)),
      device_(options.device),
      own_files_(engine_->options().mapped_files ? nullptr : std::make_shared<MappedFiles>(kLeastOwnFile)),
      constants_(std::make_unique<GraphConstants>(own_files_ ? own_files_ : engine_->options().mapped_files)) {
  if (options.strict) diagnostics_.RefuseWarnings();
}

LoadedGraph::~LoadedGraph() = default;

std::shared_ptr<LoadedGraph> LoadedGraph::WithGraph(std::shared_ptr<const Graph> graph,
                                                    std::function<std::string()> write) const {
  std::shared_ptr<LoadedGraph> loaded(new LoadedGraph(engine_, {.device = device_}, graph->source));
  loaded->graph_ = std::move(graph);
  loaded->write_ = std::move(write);
  loaded->catalog_ = catalog_;
  loaded->plugins_ = plugins_;
  return loaded;
}

const std::shared_ptr<const SourceFile>& LoadedGraph::share_source() const {
  const bool is_compiled = graph_ != nullptr && graph_->compiled != nullptr;  // the source is the text
  if (!write_ || is_compiled) return source_;
  located_graph();
  return written_;
}

// Those of the graph may have been mapped for another one, from which it is derived.
std::vector<MappedFile> LoadedGraph::mapped_files() const {
  if (own_files_ == nullptr) return {};
  std::vector<MappedFile> files = own_files_->files();
  for (const MappedFile& file : graph_->mapped) {
    if (std::ranges::find(files, file.lost, &MappedFile::lost) == files.end()) files.push_back(file);
  }
  return files;
}

std::shared_ptr<const Graph> LoadedGraph::located_graph() const {
  if (!write_) return graph_;
  std::call_once(located_once_, [&] {
    written_ = std::make_shared<const SourceFile>(SourceFile{source_->path, write_()});
    Diagnostics found;
    std::optional<Graph> read = ReadGraph(written_, found);
    if (!read || !found.all().empty()) return;
    // Restores what a text cannot express: resource types, outputs that were added once types were known, and arrays.
    if (read->feeds.size() != graph_->feeds.size()) return;
    for (size_t i = 0; i < read->feeds.size(); ++i) {
      Feed& feed = read->feeds[i];
      const Feed& known = graph_->feeds[i];
      if (feed.dtype && known.dtype) feed.dtype->value = known.dtype->value;
    }
    if (graph_->compiled != nullptr) TakeArrays(*graph_, *read);
    if (read->outputs.empty() && graph_->compiled == nullptr) {
      read->outputs = graph_->outputs;
      for (GraphOutput& output : read->outputs) output.from.span = read->nodes.front().op.span;
    }
    located_ = std::make_shared<const Graph>(*std::move(read));
  });
  return located_ == nullptr ? graph_ : located_;
}

// Loads the same graph with places, from the text that it would have as a file.
std::shared_ptr<LoadedGraph> LoadedGraph::Located(const LoadOptions& options) const {
  const std::shared_ptr<const Graph> graph = located_graph();
  return located_ == nullptr ? engine_->LoadText(written_, options) : engine_->LoadGraph(graph, {}, options);
}

// Adds what was found in a graph in memory, with places in its text. again(located graph, diagnostics) repeats an
// operation that failed; the plugins and their kernels may answer otherwise this time, but it has failed.
template <typename Again>
void LoadedGraph::Explain(const Diagnostics& found, Diagnostics& diagnostics, Again again) const {
  if (found.all().empty()) return;
  Diagnostics placed = diagnostics;  // may refuse warnings
  placed.all().clear();
  if (found.has_errors()) {
    const std::shared_ptr<LoadedGraph> located = Located({.device = device_});
    placed.all() = located->diagnostics_.all();
    if (located->graph_ != nullptr) again(*located, placed);
    if (!placed.has_errors()) placed.all() = found.all();
  } else {
    const std::shared_ptr<const Graph> graph = located_graph();
    for (const Node& node : graph->nodes) {
      const RegisteredOp* const op = registry().FindOp(node.op.value);
      if (op != nullptr) WarnIfDeprecated(*graph, node, *op, placed);
    }
  }
  diagnostics.all().insert(diagnostics.all().end(), placed.all().begin(), placed.all().end());
}

std::shared_ptr<const PlannedGraph> LoadedGraph::Plan(const PlanOptions& options) {
  const LoadTimer timer(times_.plan);
  CompiledText compiled;
  const bool compile = read_ != nullptr && options.resolution == nullptr;
  const std::unique_ptr<LockCheck> lock = std::move(lock_);
  std::shared_ptr<const PlannedGraph> planned = Plan(options, compile ? &compiled : nullptr, lock.get(), diagnostics_);
  if (lock != nullptr && planned != nullptr) engine_->Note(lock->Remark());
  if (!compile || planned == nullptr) return planned;
  read_->nodes = std::move(compiled.kinds);
  read_->compiled = std::make_shared<const CompiledGraph>(source_, std::move(compiled.nodes));
  read_.reset();
  write_ = [source = source_] { return source->text; };
  return planned;
}

PlanInputs LoadedGraph::InputsFor(const PlanOptions& options) const {
  PlanInputs inputs;
  // Nodes of a resolution are numbered as in the text.
  inputs.graph = graph_->compiled != nullptr && options.resolution != nullptr ? located_graph() : graph_;
  inputs.catalog = catalog_.get();
  inputs.loaded = plugins_.get();
  inputs.host = engine_->host();
  inputs.feeds = options.feeds;
  inputs.outputs = options.outputs;
  inputs.resources = &engine_->resources();
  inputs.constants = constants_.get();
  inputs.devices = &engine_->devices();
  inputs.device = engine_->DeviceFor(*graph_, options.feeds, device_);
  inputs.strict_placement = engine_->options().strict_placement;
  inputs.threads = options.threads > 0 ? options.threads : engine_->threads();
  inputs.resolution = options.resolution;
  inputs.infer_shapes = options.infer_shapes;
  inputs.for_runs = options.for_runs;
  inputs.handle_outputs = options.handle_outputs;
  const RunOptions& run = engine_->options().run;
  inputs.own_memory = run.check_memory;
  inputs.whole_steps = run.nan_check || run.repro != nullptr;
  inputs.keep_inputs = run.repro != nullptr;
  inputs.keep_going = engine_->keeps_going();
  inputs.held_back = held_back_;
  return inputs;
}

std::optional<TypedNode> LoadedGraph::TypeFirstNode(Diagnostics& diagnostics) const {
  if (!write_) return TypeNode(InputsFor({}), diagnostics);
  Diagnostics found;
  std::optional<TypedNode> node = TypeNode(InputsFor({}), found);
  Explain(found, diagnostics, [](const LoadedGraph& located, Diagnostics& placed) { located.TypeFirstNode(placed); });
  return node;
}

std::shared_ptr<const PlannedGraph> LoadedGraph::Plan(const PlanOptions& options, Diagnostics& diagnostics) const {
  return Plan(options, nullptr, nullptr, diagnostics);
}

std::shared_ptr<const PlannedGraph> LoadedGraph::Plan(const PlanOptions& options, CompiledText* compiled,
                                                      LockCheck* lock, Diagnostics& diagnostics) const {
  PlanInputs inputs = InputsFor(options);
  inputs.compiled = compiled;
  inputs.run_ahead = [this](const host::Plan& plan, Diagnostics& found) { return RunAlone(*engine_, plan, found); };
  if (lock != nullptr) {
    inputs.typed = [&](const host::Plan& plan, Diagnostics& found) {
      lock->ComparePlan(plan, /*fed=*/!options.feeds.empty(), found);
    };
  }
  Diagnostics unlocated;
  std::unique_ptr<const host::Plan> plan = BuildPlan(inputs, write_ ? unlocated : diagnostics);
  Explain(unlocated, diagnostics, [&](const LoadedGraph& located, Diagnostics& placed) {
    PlanOptions again = options;
    again.resolution = nullptr;
    located.Plan(again, placed);
  });
  MarkForwardNodes(*graph_, diagnostics.all());
  diagnostics.Sort();
  if (plan == nullptr || diagnostics.has_errors()) return nullptr;
  return std::make_shared<const PlannedGraph>(shared_from_this(), std::move(plan));
}

PlannedGraph::PlannedGraph(std::shared_ptr<const LoadedGraph> graph, std::unique_ptr<const host::Plan> plan)
    : graph_(std::move(graph)), plan_(std::move(plan)) {
  if (graph_->engine().options().run.repro != nullptr) repro_nodes_ = NodesAlone(*plan_);
}

LaneContext PlannedGraph::Context(const StopSignal* stop) const {
  Engine& engine = graph_->engine();
  LaneContext context{&engine.device(),    engine.host(),        &engine.pool(), stop,
                      &engine.resources(), engine.options().run, nullptr};
  context.options.keep_going = engine.keeps_going();
  if (!context.options.repro) return context;
  context.options.sync_each_node = true;  // an error of a device is then that of the node that runs
  context.repro_nodes = &repro_nodes_;
  return context;
}

std::unique_ptr<LanePool> PlannedGraph::MakeLanes(size_t count, const LaneContext& context,
                                                  Diagnostics& diagnostics) const {
  Result<std::unique_ptr<LanePool>> lanes = LanePool::Create(*plan_, context, count);
  if (lanes.ok()) return *std::move(lanes);
  Diagnostic& error = diagnostics.Error("D101", lanes.status().message());
  graph_->engine().ExplainLimit(error);
  NameLargestNode(*plan_, error);
  return nullptr;
}

}  // namespace opsrun::host
