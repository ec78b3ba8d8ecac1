// host/plan/fold.cc: values that follow from constants, for shape functions that ask for them.
//
// The node runs ahead of time as a graph of its own, whose feeds are constants; it is planned, checked and run like any
// other graph. This is only done for stateless ops and small tensors, and only if a shape function asks for the value.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/base/display_text.h"
#include "host/plan/call_arrays.h"
#include "host/plan/planning.h"

namespace opsrun::host {
namespace {

constexpr int64_t kMostElements = 1024;  // of a tensor that shapes may depend on
constexpr uint32_t kMostNodes = 256;     // to run ahead for one value

bool IsSmall(const Shape& shape) {
  const std::optional<int64_t> elements = NumElements(shape);
  return elements && *elements <= kMostElements;
}

// True if all shapes are known and small.
bool AllSmall(const Planning& p, std::span<const uint32_t> values) {
  for (uint32_t value : values) {
    const PlanValue& v = p.plan.values[value];
    const bool whole = v.memory == PlanValue::Memory::kConstant || v.memory == PlanValue::Memory::kArena;
    if (!whole || !IsSmall(v.shape())) return false;
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

// With the locations in the original graph, in case the op blames an input.
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

// A graph of only this step's node: its inputs are feeds, its outputs are those of the graph.
std::shared_ptr<const Graph> GraphOf(const Planning& p, const Step& step, const std::vector<const Tensor*>& inputs) {
  auto graph = std::make_shared<Graph>();
  graph->source = p.graph.source;
  graph->directory = p.graph.directory;
  for (size_t i = 0; i < inputs.size(); ++i) graph->feeds.push_back(ConstantFeed(i, *inputs[i]));
  const Node& planned = *p.nodes[step.node].node;
  Node node = planned;
  node.after.clear();
  node.device.reset();
  node.inputs.clear();
  for (const spec::ArgRange& range : step.signature().in_args) {
    node.inputs.push_back(InputOf(planned, step.op()->def.inputs, range));
  }
  for (const spec::ArgRange& range : step.signature().out_args) {
    for (uint32_t i = 0; i < range.count; ++i) graph->outputs.push_back(OutputOf(node, range, i));
  }
  graph->nodes.push_back(std::move(node));
  return graph;
}

// All outputs of the step, or nothing if the node fails.
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
  std::optional<std::vector<Tensor>> outputs = p.in.run_ahead(*plan, p.diagnostics);
  if (p.diagnostics.all().size() > before) {
    p.diagnostics.all().back().notes.push_back(
        "it ran while the graph was planned, because a shape depends on its output");
  }
  return outputs;
}

// A value that was fully stated by its node's shape function.
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
  uint64_t cost = 1;
  for (uint32_t input : step.inputs) cost += p.fold_cost[input];
  if (cost > kMostNodes || step.op()->def.stateful()) return;
  if (!AllSmall(p, step.inputs) || !AllSmall(p, step.outputs)) return;
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

namespace {

// Calls visit with a pointer to elements of the C++ type; returns false for other data types.
template <typename Visit>
bool VisitIntegers(DType dtype, void* data, const Visit& visit) {
  switch (dtype) {
    case DType::kInt32:
      return visit(static_cast<int32_t*>(data)), true;
    case DType::kInt64:
      return visit(static_cast<int64_t*>(data)), true;
    case DType::kUInt32:
      return visit(static_cast<uint32_t*>(data)), true;
    case DType::kUInt64:
      return visit(static_cast<uint64_t*>(data)), true;
    default:
      return false;
  }
}

}  // namespace

bool HasElements(DType dtype) {
  return VisitIntegers(dtype, nullptr, [](auto*) {});
}

namespace {

bool FitsType(DType dtype, int64_t number) {
  bool fits = false;
  VisitIntegers(dtype, nullptr, [&]<typename T>(T*) { fits = std::in_range<T>(number); });
  return fits;
}

// The number of elements; nothing unless all sizes are known and it fits int64.
std::optional<int64_t> CountElements(const opsrun_shape* shape, const spec::ShapeEngine& engine) {
  return shape == nullptr || shape->rank < 0 ? std::nullopt : NumElements(engine.Sizes(shape));
}

const opsrun_dim* Fitting(const opsrun_dim* element, DType dtype, spec::ShapeEngine& engine) {
  const std::optional<int64_t> number = spec::NumberOf(element->value);
  return !number || FitsType(dtype, *number) ? element : engine.MakeDim(spec::kNothingKnown);
}

}  // namespace

const opsrun_shape* ElementsOf(const Tensor& tensor, spec::ShapeEngine& engine) {
  if (!HasElements(tensor.dtype()) || tensor.num_elements() > OPSRUN_MAX_RANK) return nullptr;
  std::vector<const opsrun_dim*> elements;
  VisitIntegers(tensor.dtype(), const_cast<void*>(tensor.data()), [&](const auto* data) {
    for (int64_t i = 0; i < tensor.num_elements(); ++i) {
      const bool fits = std::in_range<int64_t>(data[i]);
      elements.push_back(
          engine.MakeDim(fits ? spec::ElementValue(static_cast<int64_t>(data[i])) : spec::kNothingKnown));
    }
  });
  return *engine.MakeShape(static_cast<int32_t>(elements.size()), elements.data());
}

bool AllKnown(const opsrun_shape* elements, const spec::ShapeEngine& engine) {
  return elements != nullptr && std::all_of(elements->dims, elements->dims + elements->rank, [&](const opsrun_dim* e) {
           return spec::NumberOf(engine.Known(e)).has_value();
         });
}

std::optional<Tensor> TensorOf(const opsrun_shape* elements, DType dtype, const opsrun_shape* shape,
                               const spec::ShapeEngine& engine) {
  if (elements == nullptr || CountElements(shape, engine) != elements->rank) return std::nullopt;
  std::vector<int64_t> numbers;
  for (int32_t i = 0; i < elements->rank; ++i) {
    const std::optional<int64_t> number = spec::NumberOf(engine.Known(elements->dims[i]));
    if (!number || !FitsType(dtype, *number)) return std::nullopt;
    numbers.push_back(*number);
  }
  Result<Tensor> tensor = Tensor::Create(dtype, engine.Sizes(shape));
  if (!tensor.ok()) return std::nullopt;
  VisitIntegers(dtype, tensor->mutable_data(), [&]<typename T>(T* data) {
    std::transform(numbers.begin(), numbers.end(), data, [](int64_t number) { return static_cast<T>(number); });
  });
  return *std::move(tensor);
}

Result<const opsrun_shape*> CheckElements(const opsrun_shape* stated, DType dtype, const opsrun_shape* shape,
                                          spec::ShapeEngine& engine) {
  if (stated == nullptr || stated->rank < 0 || !HasElements(dtype)) return nullptr;
  if (const std::optional<int64_t> count = CountElements(shape, engine); count && *count != stated->rank) {
    return Internal(fmt::format("the shape function states a value of {} for an output of {}",
                                Several(static_cast<size_t>(stated->rank), "element"), *count));
  }
  std::vector<const opsrun_dim*> elements(stated->dims, stated->dims + stated->rank);
  for (const opsrun_dim*& element : elements) element = Fitting(element, dtype, engine);
  const bool nothing = std::all_of(elements.begin(), elements.end(),
                                   [](const opsrun_dim* element) { return element->value == spec::kNothingKnown; });
  return nothing && !elements.empty() ? nullptr : *engine.MakeShape(stated->rank, elements.data());
}

}  // namespace opsrun::host
