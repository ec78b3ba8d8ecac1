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

class Compiler {
 public:
  Compiler(const Plan& plan, const SourceFile& text) : plan_(plan), graph_(plan.graph()), text_(text) {}

  Result<CompiledParts> Run() {
    Diagnostics ignored;
    std::optional<Value> root = ReadYaml(text_, ignored);
    if (!root || ignored.has_errors()) return InvalidArgument("the text of the graph cannot be read");
    for (uint32_t s = 0; s < plan_.steps.size(); ++s) nodes_.emplace(graph_.nodes[plan_.steps[s].node].name.value, s);
    while (std::ranges::any_of(graph_.feeds, [&](const Feed& feed) { return feed.name.value.starts_with(prefix_); }))
      prefix_ += '_';
    for (uint32_t s = 0; s < plan_.steps.size(); ++s) AddNode(s);
    for (const GraphOutput& output : graph_.outputs) AddNamed(output.from);
    for (const GraphCheck& check : graph_.checks) AddNamed(check.from);
    if (Value* const feeds = root->Find("feeds")) AddFeeds(*feeds);
    Replace(*root, "nodes", std::move(kinds_));
    Replace(*root, kCompiledOps, std::move(ops_));
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

  void AddNode(uint32_t s) {
    const Step& step = plan_.steps[s];
    const Node& node = graph_.nodes[step.node];
    const Span& op = node.op.span;
    parts_.names += node.name.value;
    const uint32_t columns = op.begin.line == op.end.line ? op.end.column - op.begin.column : 0;
    parts_.nodes.push_back({KindOf(step, node), step.node, static_cast<uint32_t>(parts_.names.size()), op.begin.line,
                            op.begin.column, columns});
    parts_.inputs.insert(parts_.inputs.end(), step.inputs.begin(), step.inputs.end());
    for (const Located<std::string>& earlier : node.after) {
      if (const auto found = nodes_.find(earlier.value); found != nodes_.end())
        parts_.after.push_back({s, found->second});
    }
  }

  uint32_t KindOf(const Step& step, const Node& node) {
    Node kind = node;
    kind.inputs = ArgumentsOf(step);
    kind.after.clear();
    kind.gradient_of.reset();
    for (NodeAttr& attr : kind.attrs) {
      const spec::OpDef& op = step.op()->def;
      if (std::optional<Value> value = AttrYaml(step.signature().attrs[op.IndexOf(*op.FindAttr(attr.name.value))]))
        attr.value = *std::move(value);
    }
    Value value = NodeValue(kind);
    Value alone = MapValue();
    AddEntry(alone, "kind", value);
    const auto [known, is_new] = known_kinds_.emplace(WriteYaml(alone), static_cast<uint32_t>(known_kinds_.size()));
    if (!is_new) return known->second;
    AddEntry(kinds_, fmt::format("{}{}", prefix_, known->second), std::move(value));
    if (ops_.Find(node.op.value) == nullptr)
      AddEntry(ops_, node.op.value, StringValue(spec::SignatureText(step.op()->def)));
    return known->second;
  }

  void AddNamed(const Reference& reference) {
    const auto found = nodes_.find(reference.name);
    if (found != nodes_.end()) parts_.named.push_back(found->second);
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
  Value kinds_ = MapValue(), ops_ = MapValue();
  std::string prefix_ = "_";                               // of the names of kinds; no feed begins with it
  std::unordered_map<std::string, uint32_t> known_kinds_;  // by their text
  std::unordered_map<std::string_view, uint32_t> nodes_;   // their numbers in the file
};

}  // namespace

Result<CompiledParts> CompileGraph(const Plan& plan, const SourceFile& text) {
  return Compiler(plan, text).Run();
}

}  // namespace opsrun::host
