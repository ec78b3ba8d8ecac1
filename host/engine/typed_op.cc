// host/engine/typed_op.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/engine/typed_op.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace opsrun::host {
namespace {

// Skips copies between devices, which are steps too.
const Step& StepOfNode(const Plan& plan) {
  return *std::find_if(plan.steps.begin(), plan.steps.end(),
                       [](const Step& step) { return step.copy == Step::Copy::kNone; });
}

std::shared_ptr<const TypedOp> TypeNode(const std::shared_ptr<LoadedGraph>& graph, Diagnostics& diagnostics,
                                        std::shared_ptr<const SourceFile>* source) {
  std::optional<TypedNode> node;
  if (graph->graph() != nullptr) node = graph->TypeFirstNode(graph->diagnostics());
  diagnostics = graph->diagnostics();
  if (!diagnostics.all().empty()) *source = graph->share_source();
  return node && !diagnostics.has_errors() ? std::make_shared<const TypedOp>(graph, *std::move(node)) : nullptr;
}

// A copy of the graph with its node on the device.
std::shared_ptr<const Graph> OnDevice(const Graph& graph, const std::string& device) {
  auto placed = std::make_shared<Graph>(graph);
  Node& node = placed->nodes.front();
  node.device = {device, node.op.span};
  return placed;
}

}  // namespace

KernelObject::KernelObject(std::shared_ptr<const PlannedGraph> planned, const TypedNode& node)
    : planned_(std::move(planned)),
      step_(StepOfNode(planned_->plan())),
      arrays_(node.op->def, node.signature, step_.kernel->def.host_memory, planned_->loaded().engine().host()) {}

std::shared_ptr<const TypedOp> TypedOp::Create(std::shared_ptr<Engine> engine, const std::string& op,
                                               const std::vector<OpInput>& inputs,
                                               const std::vector<opsrun_attr>& attrs, Diagnostics& diagnostics,
                                               std::shared_ptr<const SourceFile>* source) {
  const std::shared_ptr<LoadedGraph> graph = LoadOpGraph(*engine, op, inputs, attrs, diagnostics);
  if (graph == nullptr) return nullptr;
  return TypeNode(graph, diagnostics, source);
}

std::shared_ptr<const TypedOp> TypedOp::Read(Engine& engine, std::string yaml, Diagnostics& diagnostics,
                                             std::shared_ptr<const SourceFile>* source) {
  const std::shared_ptr<LoadedGraph> graph = ReadOpGraph(engine, std::move(yaml), diagnostics, source);
  return graph == nullptr ? nullptr : TypeNode(graph, diagnostics, source);
}

std::string TypedOp::ToYaml() const {
  return WriteOpGraph(*graph_->graph(), fmt::format("{}.{}", node_.op->plugin->name, node_.op->def.name));
}

TypedOp::TypedOp(std::shared_ptr<const LoadedGraph> graph, TypedNode node)
    : graph_(std::move(graph)),
      node_(std::move(node)),
      arrays_(node_.op->def, node_.signature, {}, graph_->engine().host()) {}

Result<OpShapeOutputs> TypedOp::InferShapes(const OpShapeInputs& inputs, spec::ShapeEngine& engine) const {
  return InferOpShapes(*node_.op, arrays_, node_.signature, graph_->engine().host(), inputs, engine);
}

std::shared_ptr<const KernelObject> TypedOp::MakeKernel(const std::string& device, Diagnostics& diagnostics,
                                                        std::shared_ptr<const SourceFile>* source) const {
  std::shared_ptr<const LoadedGraph> graph = graph_;
  if (!device.empty()) graph = graph_->engine().LoadGraph(OnDevice(*graph_->located_graph(), device));
  // Input shapes are unknown, which some shape functions reject.
  const std::shared_ptr<const PlannedGraph> planned = graph->Plan({.threads = 1, .infer_shapes = false}, diagnostics);
  if (!diagnostics.all().empty()) *source = graph->share_source();
  return planned == nullptr ? nullptr : std::make_shared<const KernelObject>(planned, node_);
}

}  // namespace opsrun::host
