// host/engine/differentiate_graph.cc: the gradients of a loaded graph, whose ops may need further plugins.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "host/engine/loaded_graph.h"
#include "host/gradient/gradient_text.h"
#include "host/gradient/representatives.h"

namespace opsrun::host {
namespace {

std::optional<Resolution> Resolve(LoadedGraph& graph) {
  Resolution resolution;
  const bool planned =
      graph.graph() != nullptr && graph.Plan({.threads = 1, .resolution = &resolution, .for_runs = false}) != nullptr;
  return planned ? std::optional(std::move(resolution)) : std::nullopt;
}

// The ops of the graph, of their gradients, and of differentiation itself.
std::vector<std::string> OpsFor(const Resolution& resolution, const Graph& graph, const GradientRequest& request) {
  std::vector<std::string> ops = OpNames(graph);
  std::vector<const RegisteredOp*> seen;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const ResolvedNode& node = resolution.nodes[i];
    if (const std::string* const given = GivenGradient(request, graph.nodes[i], *node.op)) {
      const std::vector<std::string> used = GradientText(*node.op, "", *given).OpNames();
      ops.insert(ops.end(), used.begin(), used.end());
    }
    if (node.op->gradient.empty() || std::find(seen.begin(), seen.end(), node.op) != seen.end()) continue;
    seen.push_back(node.op);
    const std::vector<std::string> used = GradientText(*node.op).OpNames();
    ops.insert(ops.end(), used.begin(), used.end());
  }
  ops.insert(ops.end(), DifferentiationOps().begin(), DifferentiationOps().end());
  std::sort(ops.begin(), ops.end());
  ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
  return ops;
}

// The graph itself was planned without errors, so these errors are in its gradients.
void ReportDerived(const Diagnostics& found, Diagnostics& diagnostics) {
  for (Diagnostic d : found.all()) {
    if (d.severity != Diagnostic::Severity::kError) continue;
    d.notes.push_back("this is in the gradient of the node, as its op declares it");
    diagnostics.all().push_back(std::move(d));
  }
}

// Plans few nodes instead of the whole graph with its gradients. Returns false, and changes nothing, if that is needed.
bool SimplifyByRepresentatives(Engine& engine, const Graph& graph, const Resolution& resolution,
                               DerivedGradients& gradients) {
  const Representatives few(graph, resolution, gradients);
  if (few.graph() == nullptr) return false;
  const std::shared_ptr<LoadedGraph> loaded = engine.LoadGraph(few.graph());
  const std::optional<Resolution> planned = Resolve(*loaded);
  const std::optional<DerivedValues> values = planned ? few.Find(*planned) : std::nullopt;
  if (values) Simplify(*values, gradients);
  return values.has_value();
}

bool HasValidGradient(Engine& engine, const RegisteredOp& op) {
  Diagnostics found;
  CheckDeclaredGradient(engine, op, found);
  return !found.has_errors();
}

}  // namespace

std::optional<DerivedGradients> DifferentiateGraph(LoadedGraph& graph, const GradientRequest& request) {
  const std::optional<Resolution> resolution = Resolve(graph);
  if (!resolution) return std::nullopt;
  Engine& engine = graph.engine();
  Diagnostics& diagnostics = graph.diagnostics();
  const std::shared_ptr<const Catalog> catalog = engine.catalog();
  const auto loaded =
      std::make_shared<const LoadResult>(engine.Open(*catalog, OpsFor(*resolution, *graph.graph(), request)));
  std::optional<DerivedGradients> gradients =
      Differentiate(*graph.graph(), *resolution, request, {*loaded, *catalog}, GradientPlaces::kGraph, diagnostics);
  diagnostics.Sort();
  if (!gradients) return std::nullopt;
  gradients->shared.push_back(loaded);
  if (!SimplifyByRepresentatives(engine, *graph.graph(), *resolution, *gradients)) {
    const auto both = std::make_shared<const Graph>(WithGradients(*graph.graph(), request, *gradients));
    const std::shared_ptr<LoadedGraph> derived = engine.LoadGraph(both);
    const std::optional<Resolution> checked = Resolve(*derived);
    if (!checked) {
      ReportDerived(derived->diagnostics(), diagnostics);
      return std::nullopt;
    }
    const DerivedValues values(*graph.graph(), *resolution, *checked, *gradients);
    if (!CheckGradientShapes(*graph.graph(), *resolution, values, *gradients, diagnostics)) return std::nullopt;
    Simplify(values, *gradients);
  }
  return gradients;
}

std::optional<std::vector<GradientStep>> ListGradientSteps(LoadedGraph& graph, const GradientRequest& request) {
  const std::optional<Resolution> resolved = Resolve(graph);
  if (!resolved) return std::nullopt;
  const Graph& nodes = *graph.graph();
  const Resolution& resolution = *resolved;
  std::vector<uint32_t> of, wrt;
  for (const GradientOf& each : request.of) {
    if (const auto value = FindValue(each.tensor, nodes, resolution, graph.diagnostics())) of.push_back(*value);
  }
  for (const Reference& each : request.wrt) {
    if (const auto value = FindValue(each, nodes, resolution, graph.diagnostics())) wrt.push_back(*value);
  }
  if (graph.diagnostics().has_errors()) return std::nullopt;
  std::vector<uint32_t> passed = FindFlow(nodes, resolution, of, wrt).passed;
  std::sort(passed.begin(), passed.end());
  std::map<const RegisteredOp*, bool> valid;
  std::vector<GradientStep> steps;
  for (const uint32_t node : passed) {
    const RegisteredOp* const op = resolution.nodes[node].op;
    const NodeFlow flow = FlowOf(nodes.nodes[node], resolution.nodes[node]);
    const auto [known, is_new] = valid.try_emplace(op, true);
    if (is_new && flow == NodeFlow::kDeclared) known->second = HasValidGradient(graph.engine(), *op);
    steps.push_back({node, op, flow, !known->second});
  }
  return steps;
}

}  // namespace opsrun::host
