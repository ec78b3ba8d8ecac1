// host/show/memory_facts.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/show/memory_facts.h"

#include <algorithm>
#include <map>

namespace opsrun::host {
namespace {

bool IsInArena(const PlanValue& value) {
  return value.memory == PlanValue::Memory::kArena;
}

// What the step takes over in place needs no memory of its own while both exist, which is at that step.
size_t TakenOver(const Plan& plan, const Step& step) {
  size_t bytes = 0;
  for (const StepAlias& alias : step.aliases) {
    const PlanValue &in = plan.values[step.inputs[alias.input]], &out = plan.values[step.outputs[alias.output]];
    if (IsInArena(in) && IsInArena(out) && in.offset == out.offset) bytes += ArenaBytes(out);
  }
  return bytes;
}

size_t LowerBound(const Plan& plan) {
  std::vector<int64_t> changes(plan.steps.size() + 1);  // by step: bytes that begin to exist, less those that end
  for (uint32_t value = 0; value < plan.values.size(); ++value) {
    if (!IsInArena(plan.values[value])) continue;
    const Lifetime life = LifetimeOf(plan, value);
    const auto bytes = static_cast<int64_t>(ArenaBytes(plan.values[value]));
    changes[life.first] += bytes;
    changes[life.last + 1] -= bytes;
  }
  int64_t now = 0, most = 0;
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    now += changes[s];
    most = std::max(most, now - static_cast<int64_t>(TakenOver(plan, plan.steps[s])));
  }
  return static_cast<size_t>(most);
}

}  // namespace

size_t BytesOf(const PlanValue& value) {
  return static_cast<size_t>(NumElements(value.shape).value_or(0)) * DTypeSize(value.dtype);
}

Lifetime LifetimeOf(const Plan& plan, uint32_t value) {
  const PlanValue& v = plan.values[value];
  if (v.result) return {v.producer, static_cast<uint32_t>(plan.steps.size() - 1)};
  return {v.producer, v.last_reader == PlanValue::kNone ? v.producer : v.last_reader};
}

MemoryFacts FactsOfMemory(const Plan& plan) {
  MemoryFacts facts;
  facts.arena = plan.arena_bytes;
  facts.lower_bound = LowerBound(plan);
  for (const Tensor& constant : plan.constants) facts.constants += constant.num_bytes();
  for (const PlanValue& value : plan.values) facts.late += value.memory == PlanValue::Memory::kDynamic ? 1 : 0;
  return facts;
}

}  // namespace opsrun::host
