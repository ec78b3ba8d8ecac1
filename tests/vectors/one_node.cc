// tests/vectors/one_node.cc
// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/one_node.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <stdexcept>

#include "host/device/device.h"
#include "host/graph/read_graph.h"
#include "host/plan/build_plan.h"
#include "host/run/lane.h"
#include "tests/host/run/one_host.h"

namespace opsrun::vectors {

using namespace host;

namespace {

// Every feed is only declared, and as int32: some data types come by no graph file.
std::string GraphText(const NodeRun& run) {
  std::string feeds, in;
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    feeds += fmt::format("  x{}: {{dtype: int32}}\n", i);
    in += fmt::format("{}x{}", i == 0 ? "" : ", ", i);
  }
  const std::string attrs = run.mode.empty() ? "" : fmt::format(", attrs: {{mode: '{}'}}", run.mode);
  return fmt::format("opsrun: 1\nfeeds:\n{}nodes:\n  y: {{op: {}, in: [{}]{}}}\noutputs: [y]\n", feeds, run.op, in,
                     attrs);
}

std::string Text(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics.all()) text += (text.empty() ? "" : "; ") + d.message;
  return text.empty() ? "no plan, and no reason" : text;
}

// What is not the op's own refusal is no answer: there is no such op, or no kernel for these data types.
void CheckRan(const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.code == "G201" || d.code.text().starts_with('K')) throw std::runtime_error(d.message);
  }
}

std::shared_ptr<const Graph> MakeGraph(const NodeRun& run) {
  Diagnostics diagnostics;
  std::optional<Graph> graph =
      ReadGraph(std::make_shared<const SourceFile>(SourceFile{"one_node", GraphText(run)}), diagnostics);
  if (!graph || diagnostics.has_errors()) throw std::runtime_error(Text(diagnostics));
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    Feed& feed = graph->feeds[i];
    feed.dtype->value = run.inputs[i].dtype();
    if (!run.constants) continue;
    feed.source = Feed::Source::kValue;
    feed.value = run.inputs[i];
  }
  return std::make_shared<const Graph>(*std::move(graph));
}

NodeResult RunPlan(const Plan& plan, const NodeRun& run) {
  const std::unique_ptr<Device> device = OpenCpuDevice();
  Result<std::unique_ptr<Lane>> lane = Lane::Create(plan, {device.get(), HostTable()});
  if (!lane.ok()) return {{}, lane.status().code(), lane.status().message()};
  for (size_t i = 0; !run.constants && i < run.inputs.size(); ++i) {
    const Status status = (*lane)->SetFeed(fmt::format("x{}", i), run.inputs[i]);
    if (!status.ok()) throw std::runtime_error(status.message());
  }
  if (const std::optional<RunFailure> failure = (*lane)->Run()) {
    return {{}, failure->status.code(), failure->status.message()};
  }
  Result<Tensor> output = (*lane)->Output(0);
  if (!output.ok()) throw std::runtime_error(output.status().message());
  return {*std::move(output), OPSRUN_OK, {}};
}

}  // namespace

NodeResult RunNode(const LoadResult& plugin, const NodeRun& run) {
  Catalog catalog;
  Diagnostics diagnostics;
  PlanInputs inputs;
  inputs.graph = MakeGraph(run);
  inputs.catalog = &catalog;
  inputs.loaded = &plugin;
  inputs.host = HostTable();
  const std::unique_ptr<const Plan> plan = BuildPlan(inputs, diagnostics);
  CheckRan(diagnostics);
  if (plan == nullptr) return {{}, OPSRUN_OK, Text(diagnostics)};
  return RunPlan(*plan, run);
}

}  // namespace opsrun::vectors
