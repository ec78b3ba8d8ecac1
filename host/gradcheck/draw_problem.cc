// host/gradcheck/draw_problem.cc: see draw_problem.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/gradcheck/draw_problem.h"

#include <memory>
#include <string>
#include <utility>

#include "host/gradcheck/draw_inputs.h"
#include "host/gradient/gradient_flow.h"
#include "host/gradient/op_sample.h"
#include "host/plan/build_plan.h"

namespace opsrun::host {
namespace {

constexpr int64_t kMaxElements = 81;  // of a tensor: every element is a run

// False if an input is of a type that cannot be drawn.
bool DrawInputs(Graph& graph, Draws& draws, GradientProblem& problem) {
  InputDrawer inputs(draws);
  for (Feed& feed : graph.feeds) {
    std::optional<Tensor> value = inputs.Draw(feed.dtype->value);
    if (!value || value->num_elements() > kMaxElements) return false;
    feed.shape = {value->shape(), {}};
    if (HasGradient(value->dtype())) {
      if (value->num_elements() > 0) problem.request.wrt.push_back({feed.name.value, {}, -1, {}});
      problem.values.emplace(feed.name.value, *std::move(value));
    } else {
      feed.source = Feed::Source::kValue;
      feed.value = *std::move(value);
    }
  }
  return !problem.request.wrt.empty();
}

// The outputs with gradients; none if the op does not accept its inputs.
std::vector<GradientOf> Outputs(Engine& engine, const GradientOps& ops, std::shared_ptr<const Graph> graph) {
  Resolution resolution;
  Diagnostics refused;
  PlanInputs inputs;
  inputs.graph = std::move(graph);
  inputs.catalog = &ops.catalog;
  inputs.loaded = &ops.loaded;
  inputs.host = engine.host();
  inputs.resources = &engine.resources();
  inputs.resolution = &resolution;
  std::vector<GradientOf> outputs;
  if (BuildPlan(inputs, refused) == nullptr) return outputs;
  const std::vector<std::string> names = ValueNames(resolution, *inputs.graph);
  const ResolvedNode& node = resolution.nodes[0];
  for (uint32_t i = 0; i < node.signature->out_types.size(); ++i) {
    const ResolvedValue& output = resolution.values[node.first_output + i];
    int64_t elements = 1;
    for (const ResolvedDim& dim : output.shape.dims) elements = dim.size < 0 ? elements : elements * dim.size;
    if (elements > kMaxElements) return {};
    if (HasGradient(output.dtype)) outputs.push_back({ParseReference(names[node.first_output + i]), std::nullopt});
  }
  return outputs;
}

}  // namespace

std::optional<GradientProblem> DrawProblem(Engine& engine, const RegisteredOp& op, const GradientOps& ops, DType type,
                                           uint64_t seed) {
  Draws draws(seed);
  GradientProblem problem;
  static const auto nameless = std::make_shared<const SourceFile>();
  auto graph = std::make_shared<Graph>(DrawOpGraph(op, type, nameless, draws));
  if (!DrawInputs(*graph, draws, problem)) return std::nullopt;
  problem.request.of = Outputs(engine, ops, graph);
  if (problem.request.of.empty()) return std::nullopt;
  problem.graph = std::move(graph);
  return problem;
}

}  // namespace opsrun::host
