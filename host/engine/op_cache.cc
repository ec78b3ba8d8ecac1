// host/engine/op_cache.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/engine/op_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/engine/graph_builder.h"

namespace opsrun::host {
namespace {

// The graph with all outputs of its node.
std::shared_ptr<const Graph> WithOutputs(const Graph& graph, const spec::Signature& signature,
                                         std::vector<std::string>* names) {
  auto whole = std::make_shared<Graph>(graph);
  for (const spec::ArgRange& range : signature.out_args) {
    for (uint32_t i = 0; i < range.count; ++i) {
      names->push_back(range.list ? fmt::format("{}.{}", range.name, i) : range.name);
      GraphOutput& output = whole->outputs.emplace_back();
      output.name.value = names->back();
      output.from = {kOpNode, range.name, range.list ? int64_t{i} : -1, graph.nodes[0].op.span};
    }
  }
  return whole;
}

}  // namespace

std::shared_ptr<PreparedOp> OpCache::Prepare(const std::string& op, const std::vector<OpInput>& inputs,
                                             const std::vector<opsrun_attr>& attrs, Diagnostics& diagnostics,
                                             std::shared_ptr<const SourceFile>* source) {
  std::string text;
  if (const Status written = WriteOpGraph({op, inputs, attrs}, &text); !written.ok()) {
    diagnostics.Error("G214", written.message());
    return nullptr;
  }
  if (std::shared_ptr<PreparedOp> known = prepared_.Find([&](const std::string& key) { return key == text; })) {
    return known;
  }
  *source = std::make_shared<const SourceFile>(SourceFile{"call of " + op, text});
  // Planned twice: how many outputs there are is known once the types are.
  const std::shared_ptr<LoadedGraph> alone = engine_->LoadText(*source);
  Resolution resolution;
  if (alone->graph() != nullptr) alone->Plan({{}, 1, &resolution});
  diagnostics = alone->diagnostics();
  if (diagnostics.has_errors()) return nullptr;
  auto prepared = std::make_shared<PreparedOp>();
  const ResolvedNode& node = resolution.nodes[0];
  const std::shared_ptr<LoadedGraph> loaded =
      engine_->LoadGraph(WithOutputs(*alone->graph(), *node.signature, &prepared->outputs));
  const std::shared_ptr<const PlannedGraph> planned = loaded->Plan();
  if (planned == nullptr) {
    diagnostics = loaded->diagnostics();
    return nullptr;
  }
  prepared->plan = std::make_shared<PreparedPlan>(planned);
  std::vector<TensorRef> refs;
  for (const OpInput& input : inputs) {
    if (input.empty) continue;
    const Shape& shape = input.type.shape;
    refs.push_back({nullptr, input.type.dtype, static_cast<int32_t>(shape.size()), shape.data()});
  }
  prepared->types = FeedSignature(refs);
  if (!node.op->def.stateful()) prepared_.Add(std::move(text), prepared, prepared->plan->bytes());
  return prepared;
}

std::string FeedOfInput(const std::string& arg, bool list, size_t i) {
  return list ? fmt::format("{}-{}", arg, i) : arg;
}

Status WriteOpGraph(const OpGraph& of, std::string* text) {
  GraphBuilder graph;
  std::vector<BuilderInput> of_node;
  for (const OpInput& input : of.inputs) {
    if (of_node.empty() || of_node.back().arg != input.arg) of_node.push_back({input.arg, input.list, {}});
    if (input.empty) continue;
    std::vector<std::string>& from = of_node.back().from;
    from.push_back(FeedOfInput(input.arg, input.list, from.size()));
    graph.AddFeed(from.back(), input.type.dtype, of.any_shape ? nullptr : &input.type.shape);
  }
  Status added = graph.AddNode(kOpNode, of.op, of_node, of.attrs, {}, {}, of.device);
  *text = graph.ToYaml();
  return added;
}

CallableGraph::CallableGraph(std::shared_ptr<LoadedGraph> graph, size_t most_plans)
    : graph_(std::move(graph)), plans_(most_plans) {
  for (const Feed& feed : graph_->graph()->feeds) {
    if (feed.source == Feed::Source::kDeclared) feeds_.push_back(&feed);
  }
}

std::shared_ptr<PreparedPlan> CallableGraph::PlanFor(std::span<const TensorRef> feeds, Diagnostics& diagnostics) {
  std::shared_ptr<PreparedPlan> prepared = plans_.Find([&](const FeedSignature& of) { return of.Is(feeds); });
  if (prepared != nullptr) return prepared;
  FeedSignature signature(feeds);
  PlanOptions options;
  for (size_t i = 0; i < feeds.size(); ++i) options.feeds[feeds_[i]->name.value] = signature[i];
  const std::shared_ptr<const PlannedGraph> planned = graph_->Plan(options, diagnostics);
  if (planned == nullptr) return nullptr;
  prepared = std::make_shared<PreparedPlan>(planned);
  plans_.Add(std::move(signature), prepared, prepared->bytes());
  return prepared;
}

}  // namespace opsrun::host
