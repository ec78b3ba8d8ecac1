// host/cli/graph_file.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/graph_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "host/graph/read_graph.h"
#include "host/plan/check_requires.h"
#include "host/run/run_once.h"

namespace opsrun::host {
namespace {

// By place; those without one come last.
void PutInFileOrder(std::vector<Diagnostic>& diagnostics) {
  const auto before = [](const Diagnostic& a, const Diagnostic& b) {
    if (a.where.known() != b.where.known()) return a.where.known();
    const Position& p = a.where.begin;
    const Position& q = b.where.begin;
    return p.line != q.line ? p.line < q.line : p.column < q.column;
  };
  std::stable_sort(diagnostics.begin(), diagnostics.end(), before);
}

std::string Count(size_t n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

}  // namespace

GraphFile ReadGraphFile(const std::string& path, int threads, bool strict) {
  GraphFile file;
  file.path = path;
  if (strict) file.diagnostics.RefuseWarnings();
  Result<std::shared_ptr<const SourceFile>> source = ReadSource(path);
  if (!source.ok()) {
    file.diagnostics.Error("G000", source.status().message()).help = {"name a YAML file, or - for standard input"};
    return file;
  }
  file.source = *source;
  if (std::optional<Graph> graph = ReadGraph(file.source, file.diagnostics, {static_cast<size_t>(threads)})) {
    file.graph = std::make_shared<const Graph>(*std::move(graph));
  }
  return file;
}

void CheckRequirements(GraphFile& file, const Catalog& catalog) {
  file.held_back = OpsOfUnmet(*file.graph, catalog, CheckRequires(*file.graph, catalog, file.diagnostics));
}

std::vector<std::string> OpsToOpen(const GraphFile& file) {
  const std::vector<std::string> all = OpNames(*file.graph);
  std::vector<std::string> ops;
  std::set_difference(all.begin(), all.end(), file.held_back.begin(), file.held_back.end(), std::back_inserter(ops));
  return ops;
}

std::unique_ptr<const Plan> PlanGraph(GraphFile& file, const PlanWith& with, std::map<std::string, Tensor> feeds) {
  PlanInputs inputs;
  inputs.graph = file.graph;
  inputs.catalog = with.catalog;
  inputs.loaded = with.loaded;
  inputs.host = with.host;
  inputs.held_back = file.held_back;
  inputs.resources = with.resources;
  inputs.threads = with.threads;
  inputs.resolution = with.resolution;
  inputs.run_ahead = [&](const Plan& plan, Diagnostics& found) { return RunOnce(plan, with.host, found); };
  inputs.feeds = std::move(feeds);
  std::unique_ptr<const Plan> plan = BuildPlan(inputs, file.diagnostics);
  PutInFileOrder(file.diagnostics.all());
  if (file.diagnostics.has_errors()) return nullptr;
  return plan;
}

std::string SizeText(const Graph& graph) {
  return fmt::format("{}, {}, {}", Count(graph.nodes.size(), "node"), Count(graph.feeds.size(), "feed"),
                     Count(graph.outputs.size(), "output"));
}

}  // namespace opsrun::host
