// SPDX-License-Identifier: Apache-2.0
#include "host/engine/op_cache.h"

#include <fmt/format.h>

#include <string_view>
#include <unordered_set>

#include "host/base/wire.h"
#include "host/graph/read_graph.h"

namespace opsrun::host {
namespace {

void WriteValue(WireWriter& out, const Value& value) {
  out.Number(static_cast<int>(value.kind) * 2 + (value.quoted ? 1 : 0));
  out.Text(value.text);
  out.Each(value.items, [&](const Value& item) { WriteValue(out, item); });
  out.Each(value.entries, [&](const Value::Entry& entry) {
    out.Text(entry.key);
    WriteValue(out, entry.value);
  });
}

// Equal exactly if calls are.
std::string KeyOf(const Graph& graph) {
  std::string key;
  WireWriter out(key);
  const Node& node = graph.nodes.front();
  out.Text(node.op.value);
  out.Each(graph.feeds, [&](const Feed& feed) {
    out.Text(feed.name.value);
    out.Number(feed.dtype->value);
    out.Each(feed.shape->value, [&](int64_t size) { out.Number(size); });
  });
  out.Each(node.inputs, [&](const NodeInput& input) {
    out.Text(input.arg.value);
    out.Number(input.list);
    out.Number(input.from.size());
  });
  out.Each(node.attrs, [&](const NodeAttr& attr) {
    out.Text(attr.name.value);
    WriteValue(out, attr.value);
  });
  out.Text(node.device ? node.device->value : "");
  out.Text(node.label ? node.label->value : "");
  return key;
}

// Nothing, with an error, if an attr cannot be expressed.
std::optional<std::vector<NodeAttr>> ReadAttrs(const std::vector<opsrun_attr>& attrs, Diagnostics& diagnostics) {
  Result<std::vector<NodeAttr>> read = AttrsOf(attrs, kOpNode);
  if (read.ok()) return *std::move(read);
  diagnostics.Error("G214", read.status().message());
  return std::nullopt;
}

// attrs: those of the call. any_shape: the shapes of the inputs are not known.
std::shared_ptr<Graph> MakeOpGraph(const OpCall& call, std::vector<NodeAttr> attrs, bool any_shape) {
  auto graph = std::make_shared<Graph>();
  graph->source = std::make_shared<const SourceFile>(SourceFile{"call of " + call.op, {}});
  Node& node = graph->nodes.emplace_back();
  node.name.value = kOpNode;
  node.op.value = call.op;
  node.attrs = std::move(attrs);
  if (!call.wish.device.empty()) node.device = {call.wish.device, {}};
  if (!call.wish.label.empty()) node.label = {call.wish.label, {}};
  for (const OpInput& input : call.inputs) {
    if (node.inputs.empty() || node.inputs.back().arg.value != input.arg) {
      node.inputs.push_back({{input.arg, {}}, input.list, {}, {}});
    }
    if (input.empty) continue;
    std::vector<Reference>& from = node.inputs.back().from;
    Feed& feed = graph->feeds.emplace_back();
    feed.name.value = FeedOfInput(input.arg, input.list, from.size());
    feed.dtype = {input.type.dtype, {}};
    if (!any_shape) feed.shape = {input.type.shape, {}};
    from.push_back({feed.name.value, "", -1, {}});
  }
  return graph;
}

// The text names another type in place of resource, which graph files cannot express.
constexpr DType kInsteadOfResource = DType::kInt64;

std::string TextOf(const Graph& graph) {
  GraphBuilder builder;
  for (const Feed& feed : graph.feeds) {
    const bool resource = feed.dtype->value == DType::kResource;
    builder.AddFeed(feed.name.value, resource ? kInsteadOfResource : feed.dtype->value,
                    feed.shape ? &feed.shape->value : nullptr);
  }
  builder.AddNode(graph.nodes.front());
  return builder.ToYaml();
}

// A caller may repeat or forget a name by mistake; reading the text then reports it.
template <typename List, typename NameOf>
bool HasWrongNames(const List& list, NameOf name_of) {
  std::unordered_set<std::string_view> names = {""};
  return !std::all_of(list.begin(), list.end(), [&](const auto& one) { return names.insert(name_of(one)).second; });
}

// Whether a call of an op cannot say something that the graph, which has one node, does.
bool SaysMore(const Graph& graph) {
  const Node& node = graph.nodes.front();
  return !graph.name.empty() || !graph.outputs.empty() || !graph.checks.empty() || !graph.requirements.empty() ||
         !node.after.empty() || node.label || node.device || node.stop_gradient || node.isolate || node.sandbox ||
         node.gradient_of;
}

// The inputs of the node; false unless they and the feeds, which are declared by their types alone, are the same.
bool FindInputs(const Graph& graph, std::vector<OpInput>& inputs) {
  std::unordered_set<std::string_view> unused;
  for (const Feed& feed : graph.feeds) {
    if (feed.source != Feed::Source::kDeclared || feed.shape) return false;
    unused.insert(feed.name.value);
  }
  for (const NodeInput& input : graph.nodes.front().inputs) {
    if (input.arg.value.empty()) return false;
    if (input.from.empty()) inputs.push_back({input.arg.value, true, {}, true});
    for (const Reference& from : input.from) {
      const auto feed = std::find_if(graph.feeds.begin(), graph.feeds.end(),
                                     [&](const Feed& each) { return each.name.value == from.name; });
      const bool whole = from.output.empty() && from.index < 0;
      if (!whole || feed == graph.feeds.end()) return false;
      unused.erase(from.name);
      inputs.push_back({input.arg.value, input.list, {feed->dtype->value, {}}});
    }
  }
  return unused.empty();
}

std::shared_ptr<LoadedGraph> Load(Engine& engine, const std::shared_ptr<const Graph>& graph) {
  const Node& node = graph->nodes.front();
  if (HasWrongNames(node.attrs, [](const NodeAttr& attr) { return std::string_view(attr.name.value); }) ||
      HasWrongNames(node.inputs, [](const NodeInput& input) { return std::string_view(input.arg.value); })) {
    return engine.LoadText(std::make_shared<const SourceFile>(SourceFile{graph->source->path, TextOf(*graph)}));
  }
  return engine.LoadGraph(graph, [graph] { return TextOf(*graph); });
}

// Adds all outputs of the graph's node.
std::shared_ptr<const Graph> WithOutputs(const Graph& graph, const spec::Signature& signature,
                                         std::vector<std::string>* names) {
  auto whole = std::make_shared<Graph>(graph);
  for (const spec::ArgRange& range : signature.out_args) {
    for (uint32_t i = 0; i < range.count; ++i) {
      names->push_back(range.NameOf(i));
      GraphOutput& output = whole->outputs.emplace_back();
      output.name.value = names->back();
      output.from = {kOpNode, range.name, range.list ? int64_t{i} : -1, graph.nodes[0].op.span};
    }
  }
  return whole;
}

}  // namespace

std::shared_ptr<LoadedGraph> LoadOpGraph(Engine& engine, const OpCall& call, Diagnostics& diagnostics) {
  std::optional<std::vector<NodeAttr>> read = ReadAttrs(call.attrs, diagnostics);
  return read ? Load(engine, MakeOpGraph(call, *std::move(read), true)) : nullptr;
}

std::string WriteOpGraph(const Graph& graph, const std::string& op) {
  Graph whole = graph;
  whole.nodes.front().op.value = op;
  whole.nodes.front().label.reset();  // it has chosen the kernel
  return TextOf(whole);
}

PartText PartOfOp(const Graph& graph, const std::string& op) {
  Graph typed = graph;
  PartText part;
  for (Feed& feed : typed.feeds) {
    part.feeds.push_back({feed.dtype->value, std::nullopt});
    if (HasHandles(feed.dtype->value)) feed.dtype->value = DType::kInt64;  // files have no others
  }
  part.yaml = WriteOpGraph(typed, op);
  part.lines = {1};
  return part;
}

std::shared_ptr<LoadedGraph> ReadOpGraph(Engine& engine, std::string yaml, Diagnostics& diagnostics,
                                         std::shared_ptr<const SourceFile>* source) {
  *source = std::make_shared<const SourceFile>(SourceFile{"call of an op", std::move(yaml)});
  const std::optional<Graph> graph = ReadGraph(*source, diagnostics);
  if (!graph || diagnostics.has_errors()) return nullptr;
  std::vector<OpInput> inputs;
  if (graph->nodes.size() == 1 && !SaysMore(*graph) && FindInputs(*graph, inputs)) {
    const Node& node = graph->nodes.front();
    return Load(engine, MakeOpGraph({node.op.value, inputs, {}}, node.attrs, true));
  }
  const Span where = graph->nodes.empty() ? Span() : graph->nodes.back().name.span;
  diagnostics
      .Error("G105",
             "the file is not the call of an op: expected one node, whose inputs have names and are feeds with a dtype "
             "and no shape, and nothing else",
             (*source)->path, where)
      .help = {"opsrun_typed_op_to_yaml writes such a file"};
  return nullptr;
}

std::shared_ptr<PreparedOp> OpCache::Prepare(const OpCall& call, Diagnostics& diagnostics,
                                             std::shared_ptr<const SourceFile>* source) {
  std::optional<std::vector<NodeAttr>> read = ReadAttrs(call.attrs, diagnostics);
  if (!read) return nullptr;
  const std::shared_ptr<const Graph> graph = MakeOpGraph(call, *std::move(read), false);
  std::string key = KeyOf(*graph) + std::to_string(engine_->generation());
  if (std::shared_ptr<PreparedOp> known = prepared_.Find([&](const std::string& of) { return of == key; })) {
    return known;
  }
  // The number of outputs is only known once the types are.
  std::shared_ptr<LoadedGraph> loaded = Load(*engine_, graph);
  auto prepared = std::make_shared<PreparedOp>();
  std::shared_ptr<const PlannedGraph> planned;
  diagnostics = loaded->diagnostics();
  const std::optional<TypedNode> node = loaded->graph() == nullptr ? std::nullopt : loaded->TypeFirstNode(diagnostics);
  if (node && !diagnostics.has_errors()) {
    const std::shared_ptr<const Graph> whole = WithOutputs(*graph, *node->signature, &prepared->outputs);
    loaded = loaded->WithGraph(whole, [whole] { return TextOf(*whole); });
    planned = loaded->Plan();
    diagnostics = loaded->diagnostics();
  }
  if (!diagnostics.all().empty()) *source = loaded->share_source();
  if (planned == nullptr) return nullptr;
  prepared->plan = std::make_shared<CallablePlan>(planned);
  constexpr size_t kPlacements = 8;
  prepared->elsewhere = std::make_shared<CallableGraph>(loaded, kPlacements);
  std::vector<TensorRef> refs;
  for (const OpInput& input : call.inputs) {
    if (input.empty) continue;
    const Shape& shape = input.type.shape;
    refs.push_back({nullptr, input.type.dtype, static_cast<int32_t>(shape.size()), shape.data()});
  }
  prepared->types = FeedSignature(refs);
  if (!node->op->def.stateful()) prepared_.Add(std::move(key), prepared, prepared->plan->bytes());
  return prepared;
}

std::string FeedOfInput(const std::string& arg, bool list, size_t i) {
  return list ? fmt::format("{}-{}", arg, i) : arg;
}

CallableGraph::CallableGraph(std::shared_ptr<LoadedGraph> graph, size_t most_plans)
    : graph_(std::move(graph)), plans_(most_plans) {
  for (const Feed& feed : graph_->graph()->feeds) {
    if (feed.source == Feed::Source::kDeclared) feeds_.push_back(&feed);
  }
}

std::shared_ptr<CallablePlan> CallableGraph::PlanFor(std::span<const TensorRef> feeds, Diagnostics& diagnostics,
                                                     std::span<const CallOutput> outputs) {
  std::shared_ptr<CallablePlan> plan = plans_.Find([&](const FeedSignature& of) { return of.Is(feeds, outputs); });
  if (plan != nullptr) return plan;
  FeedSignature signature(feeds, outputs);
  PlanOptions options;
  options.outputs = signature.outputs();
  for (size_t i = 0; i < feeds.size(); ++i) options.feeds[feeds_[i]->name.value] = signature[i];
  const std::shared_ptr<const PlannedGraph> planned = graph_->Plan(options, diagnostics);
  if (planned == nullptr) return nullptr;
  plan = std::make_shared<CallablePlan>(planned);
  plans_.Add(std::move(signature), plan, plan->bytes());
  return plan;
}

std::optional<RunFailure> CallableGraph::Wait(std::shared_ptr<CallablePlan>* of) {
  std::optional<RunFailure> first;
  for (const std::shared_ptr<CallablePlan>& plan : plans_.All()) {
    std::optional<RunFailure> failure = plan->Wait();
    if (first || !failure) continue;
    first = std::move(failure);
    *of = plan;
  }
  return first;
}

}  // namespace opsrun::host
