// host/show/plan_facts.cc: what texts and pictures of a plan show.
// SPDX-License-Identifier: Apache-2.0
#include "host/show/plan_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "host/base/display_text.h"

namespace opsrun::host {
namespace {

bool IsInArena(const PlanValue& value) {
  return value.memory == PlanValue::Memory::kArena && value.device == kCpu;
}

// Bytes that outputs of the step share with inputs, which would be counted twice at this step.
size_t TakenOver(const Plan& plan, const Step& step) {
  size_t bytes = 0;
  for (const StepAlias& alias : step.aliases) {
    const PlanValue &in = plan.values[step.inputs[alias.input]], &out = plan.values[step.outputs[alias.output]];
    if (IsInArena(in) && IsInArena(out) && in.offset == out.offset) bytes += plan.ArenaBytes(out);
  }
  return bytes;
}

// The most bytes that exist at one step if nodes run in order, and the first such step.
std::pair<size_t, uint32_t> LowerBound(const Plan& plan) {
  std::vector<int64_t> changes(plan.steps.size() + 1);  // by step: bytes allocated less bytes released
  for (uint32_t value = 0; value < plan.values.size(); ++value) {
    if (!IsInArena(plan.values[value])) continue;
    const Lifetime life = LifetimeOf(plan, value);
    const auto bytes = static_cast<int64_t>(plan.ArenaBytes(plan.values[value]));
    changes[life.first] += bytes;
    changes[life.last + 1] -= bytes;
  }
  int64_t now = 0, most = 0;
  uint32_t at = 0;
  for (uint32_t s = 0; s < plan.steps.size(); ++s) {
    const Step& step = plan.steps[s];
    now += changes[s];
    const size_t workspace =
        step.device == 0 && step.workspace_bytes > 0 ? plan.ArenaBytes(step.device, step.workspace_bytes) : 0;
    const int64_t needed = now + static_cast<int64_t>(workspace) - static_cast<int64_t>(TakenOver(plan, step));
    if (needed > most) at = s;
    most = std::max(most, needed);
  }
  return {static_cast<size_t>(most), at};
}

}  // namespace

size_t BytesOf(const PlanValue& value) {
  if (value.tile_bytes > 0) return value.tile_bytes;
  return static_cast<size_t>(NumElements(value.shape).value_or(0)) * DTypeSize(value.dtype);
}

std::vector<ValueFacts> FactsOfValues(const PlanFacts& facts) {
  const std::vector<std::string> names = ValueNames(facts.resolution, facts.plan.graph());
  std::vector<ValueFacts> all;
  for (uint32_t v = 0; v < facts.plan.values.size(); ++v) {
    uint32_t origin = v;
    while (facts.plan.values[origin].copy_of != PlanValue::kNone) origin = facts.plan.values[origin].copy_of;
    const std::string on = origin == v ? "" : " on " + facts.plan.devices[facts.plan.values[v].device].name;
    all.push_back({names[origin] + on, &facts.resolution.values[origin]});
  }
  return all;
}

std::vector<CopyFacts> FactsOfCopies(const Plan& plan) {
  std::vector<CopyFacts> copies;
  for (const Step& step : plan.steps) {
    if (step.copy == Step::Copy::kNone) continue;
    const PlanValue& to = plan.values[step.outputs[0]];
    const bool known = to.memory == PlanValue::Memory::kArena;
    copies.push_back({plan.devices[to.device].name, known ? std::optional(BytesOf(to)) : std::nullopt});
  }
  return copies;
}

std::string MemoryText(const Plan& plan, uint32_t value) {
  const PlanValue& v = plan.values[value];
  if (v.memory != PlanValue::Memory::kArena) return "allocated while it runs";
  const Lifetime life = LifetimeOf(plan, value);
  return fmt::format("{}{} at {}, {}", BytesText(static_cast<double>(BytesOf(v))),
                     v.tile_bytes > 0 ? " for each thread" : "", v.offset,
                     v.kept                    ? fmt::format("from step {} to the end", life.first)
                     : life.first == life.last ? fmt::format("step {} alone", life.first)
                                               : fmt::format("steps {} to {}", life.first, life.last));
}

Lifetime LifetimeOf(const Plan& plan, uint32_t value) {
  const PlanValue& v = plan.values[value];
  if (v.kept) return {v.producer, static_cast<uint32_t>(plan.steps.size() - 1)};
  return {v.producer, v.last_reader == PlanValue::kNone ? v.producer : v.last_reader};
}

NodeTimes TimesOfNodes(const Plan& plan, const std::vector<double>& steps, double run) {
  NodeTimes times;
  times.nodes.resize(plan.graph().nodes.size());
  times.run = run;
  for (size_t s = 0; s < steps.size(); ++s) {
    const Step& step = plan.steps[s];
    (step.copy == Step::Copy::kNone ? times.nodes[step.node] : times.copies) += steps[s];
    times.all += steps[s];
  }
  return times;
}

MemoryFacts FactsOfMemory(const Plan& plan) {
  MemoryFacts facts;
  facts.arena = plan.devices[0].arena_bytes;
  std::tie(facts.lower_bound, facts.peak_step) = LowerBound(plan);
  for (const Tensor& constant : plan.constants) facts.constants += constant.num_bytes();
  for (size_t i = 1; i < plan.devices.size(); ++i)
    facts.other_arenas.emplace_back(plan.devices[i].name, plan.devices[i].arena_bytes);
  for (const PlanValue& value : plan.values) facts.late += value.memory == PlanValue::Memory::kDynamic ? 1 : 0;
  return facts;
}

}  // namespace opsrun::host
