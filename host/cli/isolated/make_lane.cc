// host/cli/isolated/make_lane.cc: plans of parts, and of what is left of a part if some nodes are left out.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "host/cli/isolated/server.h"

namespace opsrun::host {
namespace {

// The node that contains the place, or the first one.
uint64_t NodeAt(const Graph& graph, const Span& where) {
  uint64_t node = 0;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].name.span.begin.line <= where.begin.line) node = i;
  }
  return node;
}

// What an error at the place blames, as the status of a kernel says it; empty: the node.
std::string SubjectAt(const Node& node, const Span& where) {
  for (const NodeAttr& attr : node.attrs) {
    if (attr.value.span.begin == where.begin) return "attr:" + attr.name.value;
  }
  for (const NodeInput& input : node.inputs) {
    if (!input.from.empty() && input.from.front().span.begin == where.begin) return "input:" + input.arg.value;
  }
  return "";
}

}  // namespace

Status Server::MakeLane(Runnable& part, const Part& of, std::vector<PartError>& errors) {
  part.lane.reset();
  PlanOptions options;
  options.handle_outputs = true;
  options.infer_shapes = of.infer_shapes;
  size_t next = 0;
  for (const Feed& feed : part.graph->graph()->feeds) {
    if (feed.source != Feed::Source::kDeclared) continue;
    if (next == of.facts.size()) return Damaged();
    const TensorFacts& fact = of.facts[next++];
    if (fact.shape) options.feeds[feed.name.value] = {fact.dtype, *fact.shape, nullptr};
  }
  Diagnostics diagnostics;
  part.planned = part.graph->Plan(options, diagnostics);
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity != Diagnostic::Severity::kError) continue;
    PartError& error = errors.emplace_back();
    error.node = NodeAt(*part.graph->graph(), d.where);
    error.subject = SubjectAt(part.graph->graph()->nodes[error.node], d.where);
    error.code = OPSRUN_INVALID_ARGUMENT;
    error.message = d.message;
    error.help = d.help;
    error.notes = d.notes;
  }
  if (part.planned == nullptr) return OkStatus();
  Result<std::unique_ptr<Lane>> lane = Lane::Create(part.planned->plan(), part.planned->Context(nullptr));
  if (!lane.ok()) return lane.status();
  part.lane = *std::move(lane);
  return OkStatus();
}

// What is left of the part without some nodes: the next request is likely to be for the same.
Result<Server::Runnable*> Server::Without(Part& part, const std::vector<uint64_t>& nodes) {
  if (nodes.empty()) return &part.whole;
  if (nodes == part.left_out) return &part.rest;
  auto graph = std::make_shared<Graph>(*part.whole.graph->located_graph());
  std::set<std::string> gone;
  for (const uint64_t node : nodes) {
    if (node >= graph->nodes.size()) return Damaged();
    gone.insert(graph->nodes[node].name.value);
  }
  const auto is_gone = [&](const Reference& from) { return gone.contains(from.name); };
  const auto depends = [&](const Node& node) {
    return gone.contains(node.name.value) ||
           std::ranges::any_of(node.after, [&](const auto& after) { return gone.contains(after.value); }) ||
           std::ranges::any_of(node.inputs,
                               [&](const NodeInput& input) { return std::ranges::any_of(input.from, is_gone); });
  };
  Runnable rest;
  std::vector<Node> nodes_left;
  for (size_t i = 0; i < graph->nodes.size(); ++i) {  // each after those that it reads
    if (depends(graph->nodes[i])) {
      gone.insert(graph->nodes[i].name.value);
    } else {
      nodes_left.push_back(graph->nodes[i]);
      rest.nodes.push_back(i);
    }
  }
  graph->nodes = std::move(nodes_left);
  std::vector<GraphOutput> outputs_left;
  for (const GraphOutput& output : graph->outputs) {
    rest.outputs.emplace_back();
    if (is_gone(output.from)) continue;
    rest.outputs.back() = outputs_left.size();
    outputs_left.push_back(output);
  }
  graph->outputs = std::move(outputs_left);
  rest.graph = engine_->LoadGraph(graph);
  std::vector<PartError> errors;
  if (Status status = MakeLane(rest, part, errors); !status.ok()) return status;
  if (!errors.empty()) return Internal(errors.front().message);
  part.left_out = nodes;
  part.rest = std::move(rest);
  return &part.rest;
}

}  // namespace opsrun::host
