// host/plan/in_order.cc: where tensors are if the tasks of a plan run on one thread.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/plan/planning.h"

namespace opsrun::host {
namespace {

// As MemoryPlanner does for a plan without tasks, sweeps and devices.
class InOrderPlanner {
 public:
  explicit InOrderPlanner(const Plan& plan)
      : plan_(plan), arena_(nullptr), is_placed_(plan.values.size()), is_free_(plan.values.size()) {
    places_.values.resize(plan.values.size());
  }

  // Null if it would take as much memory as the tasks do.
  std::unique_ptr<const InOrderPlaces> Run() {
    for (uint32_t s = 0; s < plan_.steps.size(); ++s) PlanStep(s);
    if (arena_.bytes() >= plan_.devices[kCpu].arena_bytes) return nullptr;
    return std::make_unique<const InOrderPlaces>(std::move(places_));
  }

 private:
  void PlanStep(uint32_t s) {
    const Step& step = plan_.steps[s];
    uint64_t forwardable = 0;
    for (uint32_t i = 0; i < std::min<size_t>(step.inputs.size(), 64); ++i)
      forwardable |= uint64_t{MayForward(step, s, i)} << i;
    places_.forwardable.push_back(forwardable);
    for (const StepAlias& alias : step.kind->aliases) {
      if (alias.input < 64 && (forwardable >> alias.input & 1) != 0) TakeOver(step, alias);
    }
    for (const uint32_t value : step.outputs) {
      if (IsInArena(value) && !is_placed_[value])
        places_.values[value] = arena_.Take(plan_.ArenaBytes(plan_.values[value]), 0);
    }
    const size_t workspace = step.workspace_bytes > 0 ? plan_.ArenaBytes(kCpu, step.workspace_bytes) : 0;
    places_.workspaces.push_back(workspace > 0 ? arena_.Take(workspace, 0) : 0);
    if (workspace > 0) arena_.Give(places_.workspaces.back(), workspace, {});
    for (const uint32_t value : step.inputs) GiveAfter(s, value);
    for (const uint32_t value : step.outputs) GiveAfter(s, value);
  }

  bool IsInArena(uint32_t value) const { return plan_.values[value].memory == PlanValue::Memory::kArena; }
  bool MayForward(const Step& step, uint32_t s, uint32_t input) const {
    const PlanValue& v = plan_.values[step.inputs[input]];
    return v.producer != PlanValue::kNone && !v.kept && v.last_reader == s &&
           (IsInArena(step.inputs[input]) || v.readers == 1) &&
           std::ranges::count(step.inputs, step.inputs[input]) == 1;
  }

  void TakeOver(const Step& step, const StepAlias& alias) {
    const uint32_t from = step.inputs[alias.input], to = step.outputs[alias.output];
    const PlanValue &in = plan_.values[from], &out = plan_.values[to];
    if (!IsInArena(from) || !IsInArena(to) || is_placed_[to] || is_free_[from] || in.dtype != out.dtype) return;
    if (alias.same_shape ? in.shape() != out.shape() : *NumElements(in.shape()) != *NumElements(out.shape())) return;
    places_.values[to] = places_.values[from];
    is_placed_[to] = is_free_[from] = true;
  }

  void GiveAfter(uint32_t s, uint32_t value) {
    const PlanValue& v = plan_.values[value];
    const uint32_t last = v.last_reader != PlanValue::kNone ? v.last_reader : v.producer;
    if (!IsInArena(value) || v.kept || last != s || is_free_[value]) return;
    arena_.Give(places_.values[value], plan_.ArenaBytes(v), {});
    is_free_[value] = true;
  }

  const Plan& plan_;
  ArenaPlanner arena_;
  InOrderPlaces places_;
  std::vector<bool> is_placed_, is_free_;  // by value; free: it has ended, or an output has its memory
};

}  // namespace

const InOrderPlaces* Plan::InOrder() const {
  std::call_once(in_order_once_, [this] {
    if (!tasks.empty() && sweeps.empty() && devices.size() == 1) in_order_ = InOrderPlanner(*this).Run();
  });
  return in_order_.get();
}

}  // namespace opsrun::host
