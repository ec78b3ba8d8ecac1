// SPDX-License-Identifier: Apache-2.0
#include "host/plan/build_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "host/plan/planning.h"

namespace opsrun::host {
namespace {

// Those that were added last, for kernels that declined their node.
void ForgetUnusedDevices(Plan& plan, uint32_t used) {
  const auto is_used = [&](uint32_t device) {
    return device == used ||
           std::any_of(plan.steps.begin(), plan.steps.end(), [&](const Step& step) { return step.device == device; });
  };
  while (plan.devices.size() > 1 && !is_used(static_cast<uint32_t>(plan.devices.size() - 1))) plan.devices.pop_back();
}

}  // namespace

// Skips the node after an error.
void PlanNode(Planning& p, NodeWork& work, bool typed) {
  p.nodes[work.index].op = work.op;
  if (typed) work.known = &p.Known(work.signature);
  const bool planned = typed && InferShapes(p, work) && PlanKernel(p, work);
  ResolveNode(p, work);
  if (!planned) CheckDeviceName(p, *work.node);  // one more mistake
  if (!planned || !CreateKernel(p, work)) return;
  if (!work.declined.empty()) {
    ForgetUnusedDevices(p.plan, work.device);
    ResolveNode(p, work);
  }

  Step& step = p.plan.steps.emplace_back();
  step.node = work.index;
  step.device = work.device;
  step.kind = work.kind;
  step.object = work.object;
  step.has_object = !work.as_before;
  step.inputs = work.inputs;
  step.outputs = p.plan.NewList(step.signature().out_types.size());
  std::iota(step.outputs.begin(), step.outputs.end(), p.nodes[work.index].first_value);
  for (const spec::ArgRange& range : step.signature().out_args) {
    for (const uint32_t output : step.outputs.subspan(range.first, range.count)) {
      PlanValue& value = p.plan.values[output];
      value.producer = static_cast<uint32_t>(p.plan.steps.size() - 1);
      value.device = DeviceOfArgument(step, range.name, value.dtype);
    }
  }
  CountFoldCost(p, step);
  NoteHostNumbers(p, step, work.of_host_numbers);
  AskForWorkspace(p, work, step);
}

static void PlanNodes(Planning& p) {
  PlanOrder(p);
  p.Reserve(p.order.size());
  for (const uint32_t index : p.order) {
    NodeWork work;
    work.index = index;
    work.node = p.nodes[index].node;
    work.op = FindOp(p, *work.node);
    PlanNode(p, work, work.op != nullptr && InferTypes(p, work));
  }
}

std::unique_ptr<const Plan> BuildPlan(const PlanInputs& inputs, Diagnostics& diagnostics) {
  auto plan = std::make_unique<Plan>(inputs.graph);
  Planning p(inputs, diagnostics, *plan);
  PlanFeeds(p);
  if (inputs.graph->compiled != nullptr) {
    PlanCompiled(p);
    if (diagnostics.has_errors()) return nullptr;
  } else {
    PlanNodes(p);
  }
  PlanOutputs(p);
  PlanChecks(p);
  ResolveValues(p);
  if (inputs.typed && p.IsComplete()) inputs.typed(*plan, diagnostics);
  if (diagnostics.has_errors()) return nullptr;
  std::vector<uint32_t> numbers;
  if (inputs.compiled != nullptr) numbers = CompileText(*plan, *inputs.compiled);
  if (!PlanIsolated(p)) return nullptr;
  if (!inputs.for_runs) return plan;
  PlanCopies(p);
  PlanFused(p);
  PlanSweeps(p);
  PlanTasks(p);
  PlanAwaits(p);
  plan->forwards = !inputs.keep_inputs;
  PlanMemory(p);
  PlanCaptures(p);
  if (!numbers.empty()) Renumber(*plan, numbers);
  return plan;
}

std::vector<std::string> OpNames(const Graph& graph) {
  std::unordered_set<std::string_view> seen;
  std::vector<std::string> names;
  for (const Node& node : graph.nodes) {
    if (seen.insert(node.op.value).second) names.push_back(node.op.value);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Names, edges, and an order in which producers come first: depth-first from the nodes in the order they are written, so
// that a graph in a valid order keeps it. Nodes of a cycle are also in it, so that their other errors are found.

namespace {

struct Edge {
  uint32_t to = 0;  // a node that this one reads from or waits for
  Span span;        // the reference to it
};

class Orderer {
 public:
  explicit Orderer(Planning& p) : p_(p), state_(p.graph.nodes.size(), State::kNew) {}

  void Run() {
    for (uint32_t node = 0; node < state_.size(); ++node) Visit(node);
  }

 private:
  enum class State : uint8_t { kNew, kOpen, kDone };
  struct Frame {
    uint32_t node = 0;
    std::vector<Edge> edges;
    size_t next = 0;
    Span entered;  // the reference to it in the node below it on the stack
  };

  // Iterative, because a chain may have a million nodes.
  void Visit(uint32_t root) {
    if (state_[root] != State::kNew) return;
    Open(root, {});
    while (!stack_.empty()) {
      Frame& top = stack_.back();
      if (top.next == top.edges.size()) {
        state_[top.node] = State::kDone;
        p_.order.push_back(top.node);
        stack_.pop_back();
        continue;
      }
      const Edge edge = top.edges[top.next++];
      if (state_[edge.to] == State::kNew) {
        Open(edge.to, edge.span);
      } else if (state_[edge.to] == State::kOpen) {
        ReportCycle(edge);
      }
    }
  }

  void Open(uint32_t node, Span entered) {
    state_[node] = State::kOpen;
    p_.nodes[node].first_target = static_cast<uint32_t>(p_.targets.size());
    stack_.push_back({node, EdgesOf(p_.graph.nodes[node]), 0, entered});
  }

  std::vector<Edge> EdgesOf(const Node& node) {
    std::vector<Edge> edges;
    for (const NodeInput& input : node.inputs) {
      for (const Reference& reference : input.from)
        p_.targets.push_back(AddEdge(edges, reference.name, reference.span));
    }
    for (const Located<std::string>& after : node.after) {
      if (IsFeed(after.value)) ReportAfterFeed(after);
      AddEdge(edges, after.value, after.span);
    }
    if (node.gradient_of) FindName(node.gradient_of->value, node.gradient_of->span);
    return edges;
  }

  bool IsFeed(const std::string& name) const {
    const auto target = p_.names.find(name);
    return target != p_.names.end() && target->second.kind == NameTarget::Kind::kFeed;
  }

  void ReportAfterFeed(const Located<std::string>& after) {
    p_.Refuse("G108", fmt::format("'after' takes node names, but '{}' is a feed", after.value), after.span,
              "remove it: feeds are available before any node runs");
  }

  NameTarget AddEdge(std::vector<Edge>& edges, const std::string& name, Span span) {
    const NameTarget target = FindName(name, span);
    if (target.kind == NameTarget::Kind::kNode) edges.push_back({target.index, span});
    return target;
  }

  // Nothing after an error.
  NameTarget FindName(const std::string& name, Span span) {
    const auto found = p_.names.find(name);
    if (found != p_.names.end()) return found->second;
    if (!p_.LeftOut(name)) p_.ReportUnknownName(name, span);
    return {};
  }

  // Reports a cycle: the nodes from edge.to to the top of the stack wait for each other.
  void ReportCycle(const Edge& edge) {
    const auto first = std::find_if(stack_.begin(), stack_.end(), [&](const Frame& f) { return f.node == edge.to; });
    std::string path;
    for (auto frame = first; frame != stack_.end(); ++frame) path += NameOf(frame->node) + " -> ";
    Diagnostic& error =
        p_.Error("G205", fmt::format("the nodes depend on each other in a cycle: {}{}", path, NameOf(edge.to)),
                 edge.span, fmt::format("'{}' depends on '{}'", NameOf(stack_.back().node), NameOf(edge.to)));
    constexpr size_t kShown = 6;
    for (auto frame = first + 1; frame < stack_.end() && error.also.size() < kShown; ++frame) {
      error.also.push_back(
          {frame->entered, fmt::format("'{}' depends on '{}'", NameOf((frame - 1)->node), NameOf(frame->node))});
    }
    error.help.push_back("remove one of these dependencies: a graph cannot have loops");
  }

  const std::string& NameOf(uint32_t node) const { return p_.graph.nodes[node].name.value; }

  Planning& p_;
  std::vector<State> state_;
  std::vector<Frame> stack_;
};

}  // namespace

void PlanOrder(Planning& p) {
  p.nodes.resize(p.graph.nodes.size());
  p.names.reserve(p.graph.feeds.size() + p.graph.nodes.size());
  for (uint32_t i = 0; i < p.graph.feeds.size(); ++i)
    p.names[p.graph.feeds[i].name.value] = {NameTarget::Kind::kFeed, i};
  for (uint32_t i = 0; i < p.graph.nodes.size(); ++i) {
    p.nodes[i].node = &p.graph.nodes[i];
    p.names[p.graph.nodes[i].name.value] = {NameTarget::Kind::kNode, i};
  }
  p.order.reserve(p.graph.nodes.size());
  p.targets.reserve(p.graph.nodes.size());
  Orderer(p).Run();
}

// The results of planning as a Resolution.

namespace {

constexpr int64_t kUnknown = -1;

// Calls fn(value, i, the representative of dimension i) for each dimension of each value.
template <typename Fn>
void ForEachDim(const Planning& p, Fn fn) {
  for (uint32_t value = 0; value < p.value_shapes.size(); ++value) {
    const opsrun_shape* shape = p.value_shapes[value];
    for (int32_t i = 0; i < shape->rank; ++i) fn(value, i, p.shapes.Find(shape->dims[i]));
  }
}

// The number of dimensions that have each unknown size.
std::unordered_map<const opsrun_dim*, uint32_t> CountUnknowns(const Planning& p) {
  std::unordered_map<const opsrun_dim*, uint32_t> counts;
  ForEachDim(p, [&](uint32_t, int32_t, const opsrun_dim* dim) {
    if (dim->value == kUnknown) ++counts[dim];
  });
  return counts;
}

}  // namespace

void ResolveNode(Planning& p, const NodeWork& work) {
  if (p.in.resolution == nullptr) return;
  p.in.resolution->nodes.resize(p.nodes.size());
  const NodeState& state = p.nodes[work.index];
  ResolvedNode& node = p.in.resolution->nodes[work.index];
  node.op = work.op;
  node.kernel = work.kernel;
  if (work.kernel != nullptr) node.device = p.plan.devices[work.device].name;
  if (state.signature == nullptr) return;
  node.signature = state.signature;
  node.inputs.assign(work.inputs.begin(), work.inputs.end());
  node.first_output = state.first_value;
}

void ResolveValues(Planning& p) {
  if (p.in.resolution == nullptr) return;
  Resolution& resolution = *p.in.resolution;
  resolution.nodes.resize(p.nodes.size());
  resolution.feed_values = p.feed_values;
  resolution.order = p.order;
  resolution.values.reserve(p.plan.values.size());
  for (uint32_t value = 0; value < p.plan.values.size(); ++value) {
    resolution.values.push_back({p.plan.values[value].dtype, {p.value_shapes[value]->rank >= 0, {}}});
  }
  const std::unordered_map<const opsrun_dim*, uint32_t> counts = CountUnknowns(p);
  std::unordered_map<const opsrun_dim*, uint32_t> numbers;
  ForEachDim(p, [&](uint32_t value, int32_t i, const opsrun_dim* dim) {
    ResolvedDim& resolved = resolution.values[value].shape.dims.emplace_back(ResolvedDim{dim->value, 0});
    if (dim->value != kUnknown || counts.at(dim) < 2) return;
    const auto [number, first] = numbers.emplace(dim, resolution.unknowns.size() + 1);
    if (first) resolution.unknowns.push_back({value, i});
    resolved.unknown = number->second;
  });
}

namespace {

std::string DimText(const ResolvedDim& dim) {
  return dim.size >= 0 ? std::to_string(dim.size) : UnknownName(dim.unknown);
}

}  // namespace

std::string UnknownName(uint32_t unknown) {
  std::string letters;
  for (uint32_t rest = unknown; rest > 0; rest = (rest - 1) / 26) {
    letters.insert(letters.begin(), static_cast<char>('a' + (rest - 1) % 26));
  }
  return "?" + letters;
}

std::string ResolvedShapeText(const ResolvedShape& shape) {
  if (!shape.rank_known) return "?";
  std::string text;
  for (const ResolvedDim& dim : shape.dims) text += (text.empty() ? "" : ", ") + DimText(dim);
  return "[" + text + "]";
}

std::string OutputName(const std::string& node, const std::vector<spec::ArgRange>& outputs, size_t i) {
  const spec::ArgRange& range = spec::ArgOf(outputs, i);
  return outputs.size() == 1 && !range.list ? node : node + "." + range.NameOf(i - range.first);
}

std::vector<std::string> ValueNames(const Resolution& resolution, const Graph& graph) {
  std::vector<std::string> names(resolution.values.size());
  for (size_t i = 0; i < resolution.feed_values.size(); ++i) {
    if (resolution.feed_values[i] != ResolvedNode::kNone) names[resolution.feed_values[i]] = graph.feeds[i].name.value;
  }
  for (size_t i = 0; i < resolution.nodes.size(); ++i) {
    const ResolvedNode& node = resolution.nodes[i];
    if (node.first_output == ResolvedNode::kNone) continue;
    for (size_t k = 0; k < node.signature->out_types.size(); ++k) {
      names[node.first_output + k] = OutputName(graph.nodes[i].name.value, node.signature->out_args, k);
    }
  }
  return names;
}

}  // namespace opsrun::host
