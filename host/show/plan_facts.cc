// host/show/plan_facts.cc: why kernels were chosen, and how memory is used.
// SPDX-License-Identifier: Apache-2.0
#include "host/show/plan_facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/characters.h"

namespace opsrun::host {
namespace {

// "T=int32, mode='SAME'": what the kernel asked for, and found.
std::string ConstraintsText(const spec::OpDef& op, const spec::Signature& signature, const spec::KernelDef& kernel) {
  std::string text;
  for (const spec::KernelDef::Constraint& constraint : kernel.constraints) {
    const spec::AttrDef* attr = op.FindAttr(constraint.attr);
    if (attr == nullptr) continue;
    const spec::AttrValue& value = signature.attrs[op.IndexOf(*attr)];
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", constraint.attr, spec::AttrValueText(value));
  }
  return text;
}

bool IsInArena(const PlanValue& value) {
  return value.memory == PlanValue::Memory::kArena && value.device == kCpu;
}

// What the step takes over in place needs no memory of its own while both exist, which is at that step.
size_t TakenOver(const Plan& plan, const Step& step) {
  size_t bytes = 0;
  for (const StepAlias& alias : step.aliases) {
    const PlanValue &in = plan.values[step.inputs[alias.input]], &out = plan.values[step.outputs[alias.output]];
    if (IsInArena(in) && IsInArena(out) && in.offset == out.offset) bytes += plan.ArenaBytes(out);
  }
  return bytes;
}

size_t LowerBound(const Plan& plan) {
  std::vector<int64_t> changes(plan.steps.size() + 1);  // by step: bytes that begin to exist, less those that end
  for (uint32_t value = 0; value < plan.values.size(); ++value) {
    if (!IsInArena(plan.values[value])) continue;
    const Lifetime life = LifetimeOf(plan, value);
    const auto bytes = static_cast<int64_t>(plan.ArenaBytes(plan.values[value]));
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

std::vector<PlanValueFacts> FactsOfValues(const PlanFacts& facts) {
  const std::vector<std::string> names = ValueNames(facts.resolution, facts.plan.graph());
  std::vector<PlanValueFacts> all;
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

std::string KernelReason(const PlanFacts& facts, const Step& step) {
  const spec::OpDef& op = step.op->def;
  const spec::Signature& signature = *facts.resolution.nodes[step.node].signature;
  const std::vector<const RegisteredKernel*>& all = facts.registry.KernelsFor(*step.op);
  const auto is_there = [&](const RegisteredKernel* kernel) { return kernel->def.device == step.kernel->def.device; };
  const auto fits = [&](const RegisteredKernel* kernel) {
    return is_there(kernel) && kernel->def.label == step.kernel->def.label &&
           spec::FailedConstraints(op, signature, kernel->def).empty();
  };
  const auto on_device = std::count_if(all.begin(), all.end(), is_there);
  const auto fitting = std::count_if(all.begin(), all.end(), fits);
  std::string reason = on_device == 1 ? "the only one"
                       : fitting == 1 ? fmt::format("the only one of {} that fits", on_device)
                                      : fmt::format("the highest priority of the {} that fit", fitting);
  const std::string found = ConstraintsText(op, signature, step.kernel->def);
  return found.empty() ? reason : reason + ": " + found;
}

size_t BytesOf(const PlanValue& value) {
  return static_cast<size_t>(NumElements(value.shape).value_or(0)) * DTypeSize(value.dtype);
}

Lifetime LifetimeOf(const Plan& plan, uint32_t value) {
  const PlanValue& v = plan.values[value];
  if (v.kept) return {v.producer, static_cast<uint32_t>(plan.steps.size() - 1)};
  return {v.producer, v.last_reader == PlanValue::kNone ? v.producer : v.last_reader};
}

MemoryFacts FactsOfMemory(const Plan& plan) {
  MemoryFacts facts;
  facts.arena = plan.devices[0].arena_bytes;
  facts.lower_bound = LowerBound(plan);
  for (const Tensor& constant : plan.constants) facts.constants += constant.num_bytes();
  for (size_t i = 1; i < plan.devices.size(); ++i)
    facts.other_arenas.emplace_back(plan.devices[i].name, plan.devices[i].arena_bytes);
  for (const PlanValue& value : plan.values) facts.late += value.memory == PlanValue::Memory::kDynamic ? 1 : 0;
  return facts;
}

}  // namespace opsrun::host
