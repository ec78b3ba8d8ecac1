// host/plan/compiled_nodes.cc: plans the nodes of a compiled graph, and compiles a graph that was planned.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "host/graph/compiled_graph.h"
#include "host/graph/tensor_value.h"
#include "host/plan/match_node.h"
#include "host/plan/planning.h"

namespace opsrun::host {
namespace {

size_t InputsOf(const Node& kind) {
  size_t count = 0;
  for (const NodeInput& input : kind.inputs) count += input.from.size();
  return count;
}

class CompiledPlanner {
 public:
  explicit CompiledPlanner(Planning& p) : p_(p), compiled_(*p.graph.compiled) {}

  void Run() {
    for (const Node& kind : p_.graph.nodes) p_.kinds.push_back({kind, InputsOf(kind), nullptr, nullptr});
    const auto nodes = static_cast<uint32_t>(compiled_.nodes.size());
    p_.nodes.resize(nodes);
    for (uint32_t i = 0; i < nodes; ++i) p_.nodes[i].node = &p_.kinds[compiled_.nodes[i].kind].node;
    for (const uint32_t i : compiled_.named) p_.names[compiled_.NameOf(i)] = {NameTarget::Kind::kNode, i};
    for (uint32_t i = 0; i < p_.graph.feeds.size(); ++i)
      p_.names[p_.graph.feeds[i].name.value] = {NameTarget::Kind::kFeed, i};
    p_.Reserve(nodes);
    for (uint32_t i = 0; i < nodes && !p_.diagnostics.has_errors(); ++i) PlanOne(i);
    if (!p_.diagnostics.has_errors() && next_input_ != compiled_.inputs.size()) Refuse("it has too many inputs");
  }

 private:
  void Refuse(const std::string& what) {
    RefuseCompiledGraph(p_.graph.source->path, "it is damaged: " + what, p_.diagnostics);
  }

  void PlanOne(uint32_t index) {
    KindOfNodes& kind = p_.kinds[compiled_.nodes[index].kind];
    kind.node.name.value = compiled_.NameOf(index);
    kind.node.op.span = compiled_.PlaceOf(index);
    NodeWork work;
    work.index = index;
    work.node = &kind.node;
    if (!TakeInputs(kind, work)) return Refuse(fmt::format("the inputs of node '{}'", kind.node.name.value));
    if (kind.op == nullptr) kind.op = FindOp(p_, kind.node);
    work.op = kind.op;
    PlanNode(p_, work, work.op != nullptr && FindTypes(kind, work));
  }

  // Producers come first.
  bool TakeInputs(const KindOfNodes& kind, NodeWork& work) {
    if (kind.inputs > compiled_.inputs.size() - next_input_) return false;
    work.compiled_inputs = compiled_.inputs.subspan(next_input_, kind.inputs);
    next_input_ += kind.inputs;
    return std::ranges::all_of(work.compiled_inputs, [&](uint32_t value) { return value < p_.plan.values.size(); });
  }

  bool FindTypes(KindOfNodes& kind, NodeWork& work) {
    const auto type = [&](uint32_t value) { return p_.plan.values[value].dtype; };
    if (kind.signature != nullptr && std::ranges::equal(kind.signature->in_types, work.compiled_inputs, {}, {}, type)) {
      work.signature = kind.signature;
      work.inputs = p_.plan.Keep(work.compiled_inputs);
      return true;
    }
    if (!InferTypes(p_, work)) return false;
    kind.signature = work.signature;
    return true;
  }

  Planning& p_;
  const CompiledGraph& compiled_;
  size_t next_input_ = 0;
};

}  // namespace

void PlanCompiled(Planning& p) {
  CompiledPlanner(p).Run();
}

// Compiling.

namespace {

// The arguments of the step's op, with as many references as there are inputs.
std::vector<NodeInput> ArgumentsOf(const Step& step) {
  std::vector<NodeInput> inputs;
  for (const spec::ArgRange& range : step.signature().in_args) {
    NodeInput& input = inputs.emplace_back();
    input.arg.value = range.name;
    input.list = range.list;
    input.from.resize(range.count, {"_", "", -1, {}});
  }
  return inputs;
}

// Of nodes of one signature, whose attrs have the same values.
bool DifferOnlyInNames(const Node& node, const Node& kind) {
  const auto same = [](const auto& a, const auto& b) {
    return static_cast<bool>(a) == static_cast<bool>(b) && (!a || a->value == b->value);
  };
  const auto name_of = [](const NodeAttr& attr) { return std::string_view(attr.name.value); };
  return node.op.value == kind.op.value && same(node.label, kind.label) && same(node.device, kind.device) &&
         node.stop_gradient == kind.stop_gradient && node.isolate == kind.isolate && node.sandbox == kind.sandbox &&
         std::ranges::equal(node.attrs, kind.attrs, {}, name_of, name_of);
}

// The nodes of a plan whose steps are those of its graph, and no others.
class NodeCompiler {
 public:
  explicit NodeCompiler(const Plan& plan) : plan_(plan), graph_(plan.graph()) {}

  CompiledNodes Run() {
    nodes_.nodes.reserve(plan_.steps.size());
    nodes_.inputs.reserve(plan_.steps.size());
    for (const GraphOutput& output : graph_.outputs) numbers_[output.from.name];
    for (const GraphCheck& check : graph_.checks) numbers_[check.from.name];
    for (const Node& node : graph_.nodes) {
      for (const Located<std::string>& earlier : node.after) numbers_[earlier.value];
    }
    for (uint32_t s = 0; s < plan_.steps.size(); ++s) Add(s);
    for (const GraphOutput& output : graph_.outputs) AddNamed(output.from);
    for (const GraphCheck& check : graph_.checks) AddNamed(check.from);
    return std::move(nodes_);
  }

  // Of each kind, the step of its first node.
  const std::vector<uint32_t>& kinds() const { return kinds_; }

 private:
  void Add(uint32_t s) {
    const Step& step = plan_.steps[s];
    const Node& node = graph_.nodes[step.node];
    const Span& op = node.op.span;
    nodes_.names += node.name.value;
    const uint32_t columns = op.begin.line == op.end.line ? op.end.column - op.begin.column : 0;
    nodes_.nodes.push_back(
        {KindOf(s), step.node, static_cast<uint32_t>(nodes_.names.size()), op.begin.line, op.begin.column, columns});
    nodes_.inputs.insert(nodes_.inputs.end(), step.inputs.begin(), step.inputs.end());
    for (const Located<std::string>& earlier : node.after) {
      if (const std::optional<uint32_t> number = numbers_.at(earlier.value)) nodes_.after.push_back({s, *number});
    }
    if (numbers_.empty()) return;
    if (const auto wanted = numbers_.find(node.name.value); wanted != numbers_.end()) wanted->second = s;
  }

  uint32_t KindOf(uint32_t s) {
    const auto node_of = [&](uint32_t step) -> const Node& { return graph_.nodes[plan_.steps[step].node]; };
    std::vector<uint32_t>& known = by_signature_[&plan_.steps[s].signature()];
    for (const uint32_t kind : known) {
      if (DifferOnlyInNames(node_of(s), node_of(kinds_[kind]))) return kind;
    }
    kinds_.push_back(s);
    return known.emplace_back(static_cast<uint32_t>(kinds_.size() - 1));
  }

  void AddNamed(const Reference& reference) {
    if (const std::optional<uint32_t> number = numbers_.at(reference.name)) nodes_.named.push_back(*number);
  }

  const Plan& plan_;
  const Graph& graph_;
  CompiledNodes nodes_;
  std::unordered_map<std::string_view, std::optional<uint32_t>> numbers_;  // of nodes that others name
  std::unordered_map<const spec::Signature*, std::vector<uint32_t>> by_signature_;
  std::vector<uint32_t> kinds_;
};

// With `_` for all inputs.
Node KindFrom(const Plan& plan, uint32_t s) {
  Node kind = plan.graph().nodes[plan.steps[s].node];
  kind.inputs = ArgumentsOf(plan.steps[s]);
  kind.after.clear();
  kind.gradient_of.reset();
  return kind;
}

class Compiler {
 public:
  Compiler(const Plan& plan, const SourceFile& text) : plan_(plan), graph_(plan.graph()), text_(text) {}

  Result<CompiledParts> Run() {
    Diagnostics ignored;
    std::optional<Value> root = ReadYaml(text_, ignored);
    if (!root || ignored.has_errors()) return InvalidArgument("the text of the graph cannot be read");
    NodeCompiler nodes(plan_);
    static_cast<CompiledNodes&>(parts_) = nodes.Run();
    AddKinds(*root, nodes.kinds());
    if (Value* const feeds = root->Find("feeds")) AddFeeds(*feeds);
    parts_.head = WriteYaml(*root);
    ForEachPlace(*root, [&](const Span& span) { parts_.places.push_back(span); });
    parts_.text = text_.text;
    return std::move(parts_);
  }

 private:
  static void Replace(Value& root, const std::string& section, Value value) {
    std::erase_if(root.entries, [&](const Value::Entry& entry) { return entry.key == section; });
    if (!value.entries.empty()) AddEntry(root, section, std::move(value));
  }

  // No feed begins with their prefix.
  void AddKinds(Value& root, const std::vector<uint32_t>& steps) {
    std::string prefix = "_";
    while (std::ranges::any_of(graph_.feeds, [&](const Feed& feed) { return feed.name.value.starts_with(prefix); }))
      prefix += '_';
    Value kinds = MapValue(), ops = MapValue();
    for (size_t i = 0; i < steps.size(); ++i) {
      const Step& step = plan_.steps[steps[i]];
      const spec::OpDef& op = step.op()->def;
      Node kind = KindFrom(plan_, steps[i]);
      for (NodeAttr& attr : kind.attrs) {
        if (std::optional<Value> value = AttrYaml(step.signature().attrs[op.IndexOf(*op.FindAttr(attr.name.value))]))
          attr.value = *std::move(value);
      }
      AddEntry(kinds, fmt::format("{}{}", prefix, i), NodeValue(kind));
      if (ops.Find(kind.op.value) == nullptr) AddEntry(ops, kind.op.value, StringValue(spec::SignatureText(op)));
    }
    Replace(root, "nodes", std::move(kinds));
    Replace(root, kCompiledOps, std::move(ops));
  }

  // Constants become declared feeds, whose arrays are beside the head; the head has strings.
  void AddFeeds(Value& feeds) {
    for (uint32_t i = 0; i < graph_.feeds.size(); ++i) {
      const PlanValue& value = plan_.values[i];
      Value* const feed = feeds.Find(graph_.feeds[i].name.value);
      if (value.memory != PlanValue::Memory::kConstant || feed == nullptr) continue;
      const Tensor& constant = plan_.constants[value.offset];
      if (HasSlots(constant.dtype())) {
        *feed = WholeTensorValue(constant);
        continue;
      }
      *feed = MapValue(feed->span);
      AddEntry(*feed, "dtype", StringValue(DTypeName(constant.dtype())));
      AddEntry(*feed, "shape", SizesValue(constant.shape().data(), constant.shape().size()));
      parts_.arrays.emplace_back(i, constant);
    }
  }

  const Plan& plan_;
  const Graph& graph_;
  const SourceFile& text_;
  CompiledParts parts_;
};

}  // namespace

Result<CompiledParts> CompileGraph(const Plan& plan, const SourceFile& text) {
  return Compiler(plan, text).Run();
}

std::vector<uint32_t> CompileText(const Plan& plan, CompiledText& to) {
  NodeCompiler nodes(plan);
  to.nodes = std::make_shared<const CompiledNodes>(nodes.Run());
  to.kinds.clear();
  for (const uint32_t s : nodes.kinds()) to.kinds.push_back(KindFrom(plan, s));
  std::vector<uint32_t> numbers(plan.steps.size());
  for (uint32_t s = 0; s < numbers.size(); ++s) numbers[plan.steps[s].node] = s;
  return numbers;
}

void Renumber(Plan& plan, const std::vector<uint32_t>& numbers) {
  const auto renumber = [&](Step& step) {
    if (step.node < numbers.size()) step.node = numbers[step.node];
  };
  for (Step& step : plan.steps) {
    renumber(step);
    std::ranges::for_each(step.more->fused, renumber);
  }
  for (IsolatedPart& part : plan.parts) renumber(part.members.front());  // the others are `fused`
}

}  // namespace opsrun::host
