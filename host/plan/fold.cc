// host/plan/fold.cc: values that follow from constants, for shape functions that ask for them.
//
// The node runs ahead of time, alone, as a graph of one node whose feeds are constants: planned, checked and run as any
// other. Only ops without state are asked, only for small tensors, and only if a shape function wants the value.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/plan/known_elements.h"
#include "host/plan/planning.h"

namespace opsrun::host {
namespace {

constexpr int64_t kMostElements = 1024;  // of a tensor that shapes may depend on
constexpr uint32_t kMostNodes = 256;     // run ahead for one value

bool IsSmall(const Shape& shape) {
  const std::optional<int64_t> elements = NumElements(shape);
  return elements && *elements <= kMostElements;
}

// Inputs and outputs are of known, small shapes.
bool AllSmall(const Planning& p, const std::vector<uint32_t>& values) {
  for (uint32_t value : values) {
    const PlanValue& v = p.plan.values[value];
    const bool whole = v.memory == PlanValue::Memory::kConstant || v.memory == PlanValue::Memory::kArena;
    if (!whole || !IsSmall(v.shape)) return false;
  }
  return true;
}

std::string FeedName(size_t i) {
  return fmt::format("input {}", i);
}

Feed ConstantFeed(size_t i, const Tensor& value) {
  Feed feed;
  feed.name.value = FeedName(i);
  feed.source = Feed::Source::kValue;
  feed.value = value;
  return feed;
}

// With the places of what the graph says, for the case that the op blames it.
NodeInput InputOf(const Node& node, const std::vector<spec::ArgDef>& inputs, const spec::ArgRange& range) {
  NodeInput input;
  input.arg.value = range.name;
  input.list = range.list;
  input.span = BlamedSpan(node, inputs, "input:" + range.name);
  for (uint32_t i = 0; i < range.count; ++i) {
    const Span span = BlamedSpan(node, inputs, fmt::format("input:{}.{}", range.name, i));
    input.from.push_back({FeedName(range.first + i), "", -1, span});
  }
  return input;
}

GraphOutput OutputOf(const Node& node, const spec::ArgRange& range, uint32_t i) {
  GraphOutput output;
  output.from = {node.name.value, range.name, range.list ? int64_t{i} : -1, {}};
  return output;
}

// The node of a step, alone: its inputs are feeds, its outputs are the graph's.
std::shared_ptr<const Graph> GraphOf(const Planning& p, const Step& step, const std::vector<const Tensor*>& inputs) {
  auto graph = std::make_shared<Graph>();
  graph->source = p.graph.source;
  graph->directory = p.graph.directory;
  for (size_t i = 0; i < inputs.size(); ++i) graph->feeds.push_back(ConstantFeed(i, *inputs[i]));
  Node node = p.graph.nodes[step.node];
  node.after.clear();
  node.device.reset();
  node.inputs.clear();
  for (const spec::ArgRange& range : step.in_args) {
    node.inputs.push_back(InputOf(p.graph.nodes[step.node], step.op->def.inputs, range));
  }
  for (const spec::ArgRange& range : step.out_args) {
    for (uint32_t i = 0; i < range.count; ++i) graph->outputs.push_back(OutputOf(node, range, i));
  }
  graph->nodes.push_back(std::move(node));
  return graph;
}

// All outputs, or nothing if the node fails.
std::optional<std::vector<Tensor>> RunAlone(const Planning& p, const Step& step,
                                            const std::vector<const Tensor*>& inputs) {
  PlanInputs alone;
  alone.graph = GraphOf(p, step, inputs);
  alone.catalog = p.in.catalog;
  alone.loaded = p.in.loaded;
  alone.host = p.in.host;
  Diagnostics unheard;
  const std::unique_ptr<const Plan> plan = BuildPlan(alone, unheard);
  if (plan == nullptr) return std::nullopt;
  const size_t before = p.diagnostics.all().size();
  std::optional<std::vector<Tensor>> outputs = p.in.run_ahead->Run(*plan, p.diagnostics);
  if (p.diagnostics.all().size() > before) {
    p.diagnostics.all().back().notes.push_back(
        "it ran ahead of the others, on constants: a shape depends on its output");
  }
  return outputs;
}

// A value that its node's shape function stated as a whole.
const Tensor* StatedValue(Planning& p, uint32_t value) {
  if (!AllKnown(p.elements[value], p.shapes)) return nullptr;
  std::optional<Tensor>& known = p.folded[value];
  if (!known) known = TensorOf(p.elements[value], p.plan.values[value].dtype, p.value_shapes[value], p.shapes);
  return known ? &*known : nullptr;
}

std::optional<std::vector<Tensor>> Fold(Planning& p, const Step& step) {
  std::vector<const Tensor*> inputs;
  for (uint32_t input : step.inputs) {
    inputs.push_back(FoldedValue(p, input));
    if (inputs.back() == nullptr) return std::nullopt;
  }
  return RunAlone(p, step, inputs);
}

}  // namespace

void CountFoldCost(Planning& p, const Step& step) {
  for (uint32_t output : step.outputs) {
    if (AllKnown(p.elements[output], p.shapes)) p.fold_cost[output] = 0;
  }
  if (step.op->def.stateful() || !AllSmall(p, step.inputs) || !AllSmall(p, step.outputs)) return;
  uint64_t cost = 1;
  for (uint32_t input : step.inputs) cost += p.fold_cost[input];
  if (cost > kMostNodes) return;
  for (uint32_t output : step.outputs) {
    if (p.fold_cost[output] != 0) p.fold_cost[output] = static_cast<uint32_t>(cost);
  }
}

const Tensor* FoldedValue(Planning& p, uint32_t value) {
  if (const Tensor* constant = p.ConstantOf(value)) return constant;
  if (const Tensor* stated = StatedValue(p, value)) return stated;
  if (p.fold_cost[value] == PlanValue::kNone || p.in.run_ahead == nullptr) return nullptr;
  if (p.folded.find(value) == p.folded.end()) {
    const Step& step = p.plan.steps[p.plan.values[value].producer];
    std::optional<std::vector<Tensor>> outputs = Fold(p, step);
    for (size_t i = 0; i < step.outputs.size(); ++i) {
      std::optional<Tensor>& known = p.folded[step.outputs[i]];
      if (outputs && !known) known = std::move((*outputs)[i]);
    }
  }
  const std::optional<Tensor>& known = p.folded.at(value);
  return known ? &*known : nullptr;
}

}  // namespace opsrun::host
