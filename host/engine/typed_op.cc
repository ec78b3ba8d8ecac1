// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>

#include "host/engine/op_cache.h"
#include "host/gradient/differentiate.h"
#include "host/gradient/gradient_text.h"
#include "host/plugin/isolated_plugin.h"
#include "host/spec/shape_engine.h"

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

// A copy of the graph whose node has this wish.
std::shared_ptr<const Graph> WithWish(const Graph& graph, const KernelWish& wish) {
  auto copy = std::make_shared<Graph>(graph);
  Node& node = copy->nodes.front();
  if (!wish.device.empty()) node.device = {wish.device, node.op.span};
  if (!wish.label.empty()) node.label = {wish.label, node.op.span};
  return copy;
}

std::string QualifiedName(const RegisteredOp& op) {
  return fmt::format("{}.{}", op.plugin->name, op.def.name);
}

}  // namespace

KernelObject::KernelObject(std::shared_ptr<const PlannedGraph> planned, const TypedNode& node)
    : planned_(std::move(planned)),
      step_(StepOfNode(planned_->plan())),
      arrays_(node.op->def, *node.signature, step_.kernel()->def.host_memory, planned_->loaded().engine().host()) {}

std::shared_ptr<const TypedOp> TypedOp::Create(Engine& engine, const OpCall& call, Diagnostics& diagnostics,
                                               std::shared_ptr<const SourceFile>* source) {
  const std::shared_ptr<LoadedGraph> graph = LoadOpGraph(engine, call, diagnostics);
  return graph == nullptr ? nullptr : TypeNode(graph, diagnostics, source);
}

std::shared_ptr<const TypedOp> TypedOp::Read(Engine& engine, std::string yaml, Diagnostics& diagnostics,
                                             std::shared_ptr<const SourceFile>* source) {
  const std::shared_ptr<LoadedGraph> graph = ReadOpGraph(engine, std::move(yaml), diagnostics, source);
  return graph == nullptr ? nullptr : TypeNode(graph, diagnostics, source);
}

std::string TypedOp::ToYaml() const {
  return WriteOpGraph(*graph_->graph(), QualifiedName(*node_.op));
}

TypedOp::TypedOp(std::shared_ptr<const LoadedGraph> graph, TypedNode node)
    : graph_(std::move(graph)),
      node_(std::move(node)),
      arrays_(node_.op->def, *node_.signature, {}, graph_->engine().host()),
      part_(IsInChild(node_.op->shape)
                ? std::make_unique<ChildPart>(node_.op->plugin->child,
                                              PartOfOp(*graph_->graph(), QualifiedName(*node_.op)))
                : nullptr) {}

TypedOp::~TypedOp() = default;

Result<OpShapeOutputs> TypedOp::InferShapes(const OpShapeInputs& inputs, spec::ShapeEngine& engine) const {
  return InferOpShapes(*node_.op, arrays_, *node_.signature, graph_->engine().host(), inputs, engine, part_.get());
}

std::shared_ptr<const KernelObject> TypedOp::MakeKernel(const KernelWish& wish, Diagnostics& diagnostics,
                                                        std::shared_ptr<const SourceFile>* source) const {
  std::shared_ptr<const LoadedGraph> graph = graph_;
  if (!wish.device.empty() || !wish.label.empty())
    graph = graph_->engine().LoadGraph(WithWish(*graph_->located_graph(), wish));
  // Input shapes are unknown, which some shape functions reject.
  const std::shared_ptr<const PlannedGraph> planned = graph->Plan({.threads = 1, .infer_shapes = false}, diagnostics);
  if (!diagnostics.all().empty()) *source = graph->share_source();
  return planned == nullptr ? nullptr : std::make_shared<const KernelObject>(planned, node_);
}

// The gradient of an op.

namespace {

using Kind = GradientOperand::Kind;

// The feed for the gradient of output i. No argument has such a name.
std::string SeedName(size_t i) {
  return fmt::format("seed-{}", i);
}

Feed DeclareFeed(const std::string& name, DType dtype, std::optional<Shape> shape, const Span& span) {
  Feed feed;
  feed.name = {name, span};
  feed.dtype = {dtype, span};
  if (shape) feed.shape = {*std::move(shape), span};
  feed.span = span;
  return feed;
}

// References to the outputs of the op, by their names in the graph.
std::vector<Reference> OutputsOf(const TypedOp& op, const Span& span) {
  std::vector<Reference> outputs;
  for (const spec::ArgRange& range : op.signature().out_args) {
    for (uint32_t i = 0; i < range.count; ++i)
      outputs.push_back({kOpNode, range.name, range.list ? int64_t{i} : -1, span});
  }
  return outputs;
}

std::vector<std::string> FeedNames(const spec::Signature& signature) {
  std::vector<std::string> names;
  for (const spec::ArgRange& range : signature.in_args) {
    for (uint32_t i = 0; i < range.count; ++i) names.push_back(FeedOfInput(range.name, range.list, i));
  }
  return names;
}

// What can be inferred about the outputs' shapes from those of the inputs; nothing if the op rejects them.
std::vector<std::optional<Shape>> OutputShapes(const TypedOp& op, const std::vector<std::optional<Shape>>& shapes) {
  std::vector<std::optional<Shape>> known(op.signature().out_types.size());
  if (shapes.empty()) return known;
  spec::ShapeEngine engine;
  OpShapeInputs inputs;
  for (const std::optional<Shape>& shape : shapes)
    inputs.shapes.push_back(shape ? engine.FromSizes(*shape) : engine.Unknown());
  inputs.values.resize(shapes.size());
  inputs.as_shapes.resize(shapes.size());
  const Result<OpShapeOutputs> outputs = op.InferShapes(inputs, engine);
  for (size_t i = 0; outputs.ok() && i < known.size(); ++i) {
    if (outputs->shapes[i]->rank >= 0) known[i] = engine.Sizes(outputs->shapes[i]);
  }
  return known;
}

Feed& FindFeed(Graph& graph, const std::string& name) {
  return *std::find_if(graph.feeds.begin(), graph.feeds.end(),
                       [&](const Feed& feed) { return feed.name.value == name; });
}

// The op's graph with the shapes of its feeds, plus a feed for the gradient of each output that can have one.
std::shared_ptr<const Graph> WithSeeds(const TypedOp& op, const std::vector<std::optional<Shape>>& shapes,
                                       GradientRequest& request) {
  auto graph = std::make_shared<Graph>(*op.graph().located_graph());
  const Span span = graph->nodes.front().op.span;
  const std::vector<std::string> names = FeedNames(op.signature());
  for (size_t i = 0; i < names.size(); ++i) {
    if (!shapes.empty() && shapes[i]) FindFeed(*graph, names[i]).shape = {*shapes[i], span};
    if (HasGradient(op.signature().in_types[i])) request.wrt.push_back({names[i], "", -1, span});
  }
  const std::vector<Reference> outputs = OutputsOf(op, span);
  const std::vector<std::optional<Shape>> output_shapes = OutputShapes(op, shapes);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const DType dtype = op.signature().out_types[i];
    if (!HasGradient(dtype)) continue;
    graph->feeds.push_back(DeclareFeed(SeedName(i), dtype, output_shapes[i], span));
    request.of.push_back({outputs[i], Reference{SeedName(i), "", -1, span}});
  }
  request.fill_feeds = false;
  return graph;
}

// Turns one node of the differentiated graph into an op.
std::shared_ptr<const TypedOp> TypeCall(const LoadedGraph& graph, const Node& node, const ResolvedNode& resolved,
                                        Diagnostics& diagnostics) {
  auto alone = std::make_shared<Graph>();
  alone->source = graph.share_source();
  Node& call = alone->nodes.emplace_back(node);
  call.name.value = kOpNode;
  call.inputs.clear();
  call.after.clear();
  call.gradient_of.reset();
  for (const spec::ArgRange& range : resolved.signature->in_args) {
    NodeInput& input = call.inputs.emplace_back();
    input.arg = {range.name, node.op.span};
    input.list = range.list;
    for (uint32_t i = 0; i < range.count; ++i) {
      const std::string feed = FeedOfInput(range.name, range.list, i);
      alone->feeds.push_back(
          DeclareFeed(feed, resolved.signature->in_types[range.first + i], std::nullopt, node.op.span));
      input.from.push_back({feed, "", -1, node.op.span});
    }
  }
  const std::shared_ptr<LoadedGraph> loaded = graph.engine().LoadGraph(alone);
  std::optional<TypedNode> typed = loaded->TypeFirstNode(diagnostics);
  return typed ? std::make_shared<const TypedOp>(loaded, *std::move(typed)) : nullptr;
}

// The tensor that slices refer to. Requires: NodeGradient accepts it.
GradientOperand OperandOf(const Reference& reference, const spec::Signature& signature) {
  const bool gradient = !reference.output.empty();
  const std::string& name = gradient ? reference.output : reference.name;
  const std::vector<spec::ArgRange>& args = gradient ? signature.out_args : signature.in_args;
  return {gradient ? Kind::kGradient : Kind::kInput, spec::FindNamed(args, name)->first, 0};
}

void FindSlices(const TypedOp& op, Diagnostics& diagnostics, OpGradient& gradient) {
  const spec::Signature& signature = op.signature();
  const std::optional<DeclaredGradient> declared = GradientText(op.op()).For(signature, diagnostics);
  if (!declared) return;
  for (const GradientSlices& each : declared->slices) {
    SlicesOperands& of = gradient.slices[OperandOf({each.input.value, "", -1, {}}, signature).index];
    of.values = OperandOf(each.values, signature);
    of.indices = OperandOf(each.indices, signature);
    if (each.axis) of.axis = OperandOf(*each.axis, signature);
    of.vectors = each.vectors;
    of.batch_dims = each.batch_dims;
  }
}

// Removes inputs from the request that no gradient reaches.
void KeepReached(const DerivedGradients& derived, GradientRequest& request) {
  const auto reached = [&](const Reference& wrt) {
    return std::any_of(derived.of_inputs.begin(), derived.of_inputs.end(),
                       [&](const InputGradient& each) { return derived.value_names[each.value] == wrt.name; });
  };
  std::erase_if(request.wrt, [&](const Reference& wrt) { return !reached(wrt); });
}

// Maps each value of the differentiated graph to an operand.
class Reader {
 public:
  Reader(const LoadedGraph& graph, const Plan& plan, const Resolution& resolution)
      : graph_(graph), plan_(plan), resolution_(resolution), operands_(resolution.values.size()) {}

  // Feeds are the op's inputs, gradients of its outputs, and constants.
  void ReadFeeds(const spec::Signature& signature, OpGradient& gradient) {
    std::map<std::string, GradientOperand> known;
    const std::vector<std::string> names = FeedNames(signature);
    for (uint32_t i = 0; i < names.size(); ++i) known[names[i]] = {Kind::kInput, i, 0};
    for (uint32_t i = 0; i < signature.out_types.size(); ++i) known[SeedName(i)] = {Kind::kGradient, i, 0};
    const std::vector<Feed>& feeds = graph_.graph()->feeds;
    for (size_t i = 0; i < feeds.size(); ++i) {
      const uint32_t value = resolution_.feed_values[i];
      if (feeds[i].source == Feed::Source::kDeclared) {
        operands_[value] = known.at(feeds[i].name.value);
      } else {
        operands_[value] = {Kind::kConstant, static_cast<uint32_t>(gradient.constants.size()), 0};
        gradient.constants.push_back(plan_.ConstantOf(plan_.values[value]));
      }
    }
  }

  bool ReadCalls(OpGradient& gradient, Diagnostics& diagnostics) {
    for (const uint32_t node : resolution_.order) {
      const ResolvedNode& resolved = resolution_.nodes[node];
      const bool is_op = node == 0;
      const auto n_outputs = static_cast<uint32_t>(resolved.signature->out_types.size());
      for (uint32_t i = 0; i < n_outputs; ++i) {
        operands_[resolved.first_output + i] =
            is_op ? GradientOperand{Kind::kOutput, i, 0}
                  : GradientOperand{Kind::kCall, static_cast<uint32_t>(gradient.calls.size()), i};
      }
      if (is_op) continue;
      GradientCall call;
      call.op = TypeCall(graph_, graph_.graph()->nodes[node], resolved, diagnostics);
      if (call.op == nullptr) return false;
      for (const uint32_t input : resolved.inputs) call.inputs.push_back(operands_[input]);
      for (uint32_t i = 0; i < n_outputs; ++i) {
        call.outputs.push_back(resolution_.values[resolved.first_output + i].shape);
      }
      gradient.calls.push_back(std::move(call));
    }
    return true;
  }

  const GradientOperand& operand(uint32_t value) const { return operands_[value]; }

 private:
  const LoadedGraph& graph_;
  const Plan& plan_;
  const Resolution& resolution_;
  std::vector<GradientOperand> operands_;
};

}  // namespace

std::optional<OpGradient> DifferentiateOp(const TypedOp& op, const std::vector<std::optional<Shape>>& shapes,
                                          Diagnostics& diagnostics, std::shared_ptr<const SourceFile>* source) {
  *source = op.graph().share_source();
  GradientRequest request;
  Engine& engine = op.graph().engine();
  const std::shared_ptr<LoadedGraph> graph = engine.LoadGraph(WithSeeds(op, shapes, request));
  std::optional<DerivedGradients> derived = DifferentiateGraph(*graph, request);
  if (!derived) {
    diagnostics = graph->diagnostics();  // on success there are only warnings about inputs without gradients
    return std::nullopt;
  }
  OpGradient gradient;
  const size_t n_inputs = op.signature().in_types.size(), n_wrt = request.wrt.size();
  gradient.of_inputs.resize(n_inputs);
  gradient.slices.resize(n_inputs);
  KeepReached(*derived, request);
  if (request.wrt.empty()) return gradient;
  FindSlices(op, diagnostics, gradient);
  if (request.wrt.size() < n_wrt) derived = DifferentiateGraph(*graph, request);  // avoids zeros for the others

  const auto both = std::make_shared<const Graph>(WithGradients(*graph->graph(), request, *derived));
  const std::shared_ptr<LoadedGraph> loaded = engine.LoadGraph(both);
  Resolution resolution;
  const std::shared_ptr<const PlannedGraph> planned =
      loaded->Plan({.threads = 1, .resolution = &resolution}, diagnostics);
  if (planned == nullptr) return std::nullopt;

  Reader reader(*loaded, planned->plan(), resolution);
  reader.ReadFeeds(op.signature(), gradient);
  if (!reader.ReadCalls(gradient, diagnostics)) return std::nullopt;
  const std::vector<PlanOutput>& outputs = planned->plan().outputs;
  const std::vector<std::string> names = FeedNames(op.signature());
  size_t output = outputs.size() - request.wrt.size();
  for (const Reference& wrt : request.wrt) {
    const auto input = std::find(names.begin(), names.end(), wrt.name) - names.begin();
    gradient.of_inputs[static_cast<size_t>(input)] = reader.operand(outputs[output++].value);
  }
  return gradient;
}

}  // namespace opsrun::host
