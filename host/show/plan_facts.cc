// host/show/plan_facts.cc: what texts and pictures of a plan show.
// SPDX-License-Identifier: Apache-2.0
#include "host/show/plan_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "host/base/display_text.h"

namespace opsrun::host {
namespace {

bool IsInArena(const PlanValue& value) {
  return value.memory == PlanValue::Memory::kArena && value.device == kCpu;
}

// By value: the one whose block it has, which is that of an input if it took that over.
std::vector<uint32_t> FindBlocks(const Plan& plan) {
  std::vector<uint32_t> block_of(plan.values.size());
  std::iota(block_of.begin(), block_of.end(), 0);
  for (const Step& step : plan.steps) {
    for (const StepAlias& alias : step.kind->aliases) {
      const uint32_t from = step.inputs[alias.input], to = step.outputs[alias.output];
      const PlanValue &in = plan.values[from], &out = plan.values[to];
      if (IsInArena(in) && IsInArena(out) && in.offset == out.offset) block_of[to] = block_of[from];
    }
  }
  return block_of;
}

// The steps of a sweep run together, so what one of them uses exists during all of it.
Lifetime WithSweep(const Plan& plan, Lifetime life) {
  for (const Sweep& sweep : plan.sweeps) {
    const uint32_t last = sweep.first + sweep.count - 1;
    if (life.first >= sweep.first && life.first <= last) life.first = sweep.first;
    if (life.last >= sweep.first && life.last <= last) life.last = last;
  }
  return life;
}

// The most bytes that exist at one step if nodes run in order, and the first such step.
std::pair<size_t, uint32_t> LowerBound(const Plan& plan) {
  std::vector<int64_t> changes(plan.steps.size() + 1);  // by step: bytes allocated less bytes released
  const auto add = [&](const Lifetime& life, size_t bytes) {
    changes[life.first] += static_cast<int64_t>(bytes);
    changes[life.last + 1] -= static_cast<int64_t>(bytes);
  };
  const std::vector<uint32_t> block_of = FindBlocks(plan);
  std::map<uint32_t, Lifetime> blocks;
  for (uint32_t value = 0; value < plan.values.size(); ++value) {
    if (!IsInArena(plan.values[value]) || plan.values[value].tile_bytes > 0) continue;
    const Lifetime life = WithSweep(plan, LifetimeOf(plan, value));
    const auto [block, first] = blocks.emplace(block_of[value], life);
    if (!first) block->second = {std::min(block->second.first, life.first), std::max(block->second.last, life.last)};
  }
  for (const auto& [value, life] : blocks) add(life, plan.ArenaBytes(plan.values[value]));
  for (const Sweep& sweep : plan.sweeps)
    add({sweep.first, sweep.first + sweep.count - 1}, sweep.bytes_per_thread * static_cast<size_t>(plan.threads));
  for (uint32_t s = 0; s < plan.steps.size(); ++s) {
    const Step& step = plan.steps[s];
    if (step.device == kCpu && step.more->workspace_bytes > 0)
      add({s, s}, plan.ArenaBytes(kCpu, step.more->workspace_bytes));
  }
  int64_t now = 0, most = 0;
  uint32_t at = 0;
  for (uint32_t s = 0; s < plan.steps.size(); ++s) {
    now += changes[s];
    if (now > most) at = s;
    most = std::max(most, now);
  }
  return {static_cast<size_t>(most), at};
}

}  // namespace

size_t BytesOf(const PlanValue& value) {
  if (value.tile_bytes > 0) return value.tile_bytes;
  return static_cast<size_t>(NumElements(value.shape()).value_or(0)) * DTypeSize(value.dtype);
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

WorkFacts FactsOfWork(const Plan& plan) {
  constexpr double kStep = 50, kOfMemory = 10, kOfCache = 60;  // nanoseconds, and bytes in one
  constexpr size_t kCache = size_t{1} << 20;
  const double rate = plan.devices[kCpu].arena_bytes > kCache ? kOfMemory : kOfCache;
  std::vector<double> of_step;
  WorkFacts work;
  for (const Step& step : plan.steps) {
    size_t bytes = 0;
    for (const std::span<const uint32_t> values : {step.inputs, step.outputs}) {
      for (const uint32_t value : values) bytes += BytesOf(plan.values[value]);
    }
    of_step.push_back(kStep + static_cast<double>(bytes) / rate);
    work.all += of_step.back();
  }
  std::vector<double> begins(plan.tasks.size());
  for (size_t t = 0; t < plan.tasks.size(); ++t) {
    const auto first = of_step.begin() + plan.tasks[t].first;
    const double end = std::accumulate(first, first + plan.tasks[t].count, begins[t]);
    for (const uint32_t next : plan.tasks[t].next) begins[next] = std::max(begins[next], end);
    work.longest = std::max(work.longest, end);
  }
  if (plan.tasks.empty()) work.longest = work.all;
  return work;
}

std::string FusedNames(const Plan& plan, const Step& step) {
  std::string text(plan.NodeName(step));
  for (const Step& fused : step.more->fused) text += fmt::format("+{}", plan.NodeName(fused));
  return text;
}

std::string FusedOps(const Step& step) {
  std::string text = step.op()->def.name;
  for (const Step& fused : step.more->fused) text += "+" + fused.op()->def.name;
  return text;
}

std::string RoundTripName(const Plan& plan, const Step& step) {
  return fmt::format("round trip of {}", plan.NodeName(step));
}

NodeTimes TimesOfNodes(const Plan& plan, const std::vector<double>& steps, const std::vector<double>& isolated,
                       double run) {
  NodeTimes times;
  times.nodes.resize(plan.graph().nodes.size());
  times.with.resize(times.nodes.size());
  std::iota(times.with.begin(), times.with.end(), 0);
  times.run = run;
  auto node = isolated.begin();
  for (size_t s = 0; s < steps.size(); ++s) {
    const Step& step = plan.steps[s];
    times.all += steps[s];
    if (step.more->part != nullptr) {
      times.round_trips += steps[s];
      for (const Step& member : step.more->part->members) {
        times.round_trips -= *node;
        times.nodes[member.node] += *node++;
      }
      continue;
    }
    (step.copy == Step::Copy::kNone ? times.nodes[step.node] : times.copies) += steps[s];
    for (const Step& fused : step.more->fused) times.with[fused.node] = step.node;
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
