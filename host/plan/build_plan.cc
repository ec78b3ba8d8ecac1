// host/plan/build_plan.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/build_plan.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "host/plan/planning.h"

namespace opsrun::host {
namespace {

uint32_t FirstOf(const std::vector<spec::ArgRange>& args, const std::string& name) {
  return std::find_if(args.begin(), args.end(), [&](const spec::ArgRange& arg) { return arg.name == name; })->first;
}

// The registry has only kernels whose aliases name single tensors of the op.
std::vector<StepAlias> AliasesOf(const NodeWork& work) {
  std::vector<StepAlias> aliases;
  for (const KernelAlias& alias : work.kernel->aliases)
    aliases.push_back({FirstOf(work.signature.out_args, alias.output), FirstOf(work.signature.in_args, alias.input)});
  return aliases;
}

// Makes the step of a node, or leaves it out after an error.
void PlanNode(Planning& p, uint32_t index) {
  NodeWork work;
  work.index = index;
  work.node = &p.graph.nodes[index];
  work.op = FindOp(p, *work.node);
  p.nodes[index].op = work.op;
  const bool planned = work.op != nullptr && InferTypes(p, work) && InferShapes(p, work) && PlanKernel(p, work);
  ResolveNode(p, work);
  if (!planned || !CreateKernel(p, work)) return;

  Step step;
  step.node = index;
  step.op = work.op;
  step.device = work.device;
  step.kernel = work.kernel;
  step.object = work.object;
  step.inputs = std::move(work.inputs);
  step.aliases = AliasesOf(work);
  step.in_args = std::move(work.signature.in_args);
  step.out_args = std::move(work.signature.out_args);
  const uint32_t first = p.nodes[index].first_value;
  for (const spec::ArgRange& range : step.out_args) {
    for (uint32_t i = range.first; i < range.first + range.count; ++i) {
      step.outputs.push_back(first + i);
      PlanValue& value = p.plan.values[first + i];
      value.producer = static_cast<uint32_t>(p.plan.steps.size());
      value.device = DeviceOfArgument(step, range.name, value.dtype);
    }
  }
  CountFoldCost(p, step);
  p.plan.steps.push_back(std::move(step));
}

}  // namespace

std::unique_ptr<const Plan> BuildPlan(const PlanInputs& inputs, Diagnostics& diagnostics) {
  auto plan = std::make_unique<Plan>(inputs.graph);
  Planning p(inputs, diagnostics, *plan);
  PlanFeeds(p);
  PlanOrder(p);
  for (uint32_t node : p.order) PlanNode(p, node);
  PlanOutputs(p);
  PlanChecks(p);
  ResolveValues(p);
  if (diagnostics.has_errors()) return nullptr;
  PlanCopies(p);
  PlanTasks(p);
  PlanAwaits(p);
  PlanMemory(p);
  PlanCaptures(p);
  return plan;
}

std::vector<std::string> OpNames(const Graph& graph) {
  std::unordered_set<std::string_view> seen;
  std::vector<std::string> names;
  for (const Node& node : graph.nodes) {
    if (seen.insert(node.op.value).second) names.push_back(node.op.value);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace opsrun::host
