// host/plan/memory.cc: who reads a value last, what may be forwarded, and where in the arena each value lies.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/plan/arena_planner.h"
#include "host/plan/planning.h"

namespace opsrun::host {
namespace {

// Calls fn(value) once for each value that the step reads, however often.
template <typename Fn>
void ForEachRead(const Step& step, Fn fn) {
  std::vector<uint32_t> values = step.inputs;
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  for (const uint32_t value : values) fn(value);
}

void FindReaders(Plan& plan) {
  for (uint32_t s = 0; s < plan.steps.size(); ++s) {
    ForEachRead(plan.steps[s], [&](uint32_t value) {
      plan.values[value].last_reader = s;
      ++plan.values[value].readers;
    });
  }
}

// The step after which nobody needs the value: its last reader, or its producer if nobody reads it.
uint32_t LastUse(const PlanValue& value) {
  return value.last_reader != PlanValue::kNone ? value.last_reader : value.producer;
}

// With tasks, only a sole reader is sure to be the last one.
bool MayForward(const Plan& plan, const Step& step, uint32_t s, size_t input) {
  const uint32_t value = step.inputs[input];
  const PlanValue& v = plan.values[value];
  return input < 64 && v.producer != PlanValue::kNone && !v.kept && v.last_reader == s &&
         (plan.tasks.empty() || v.readers == 1) && std::count(step.inputs.begin(), step.inputs.end(), value) == 1;
}

class MemoryPlanner {
 public:
  explicit MemoryPlanner(Planning& p)
      : plan_(p.plan),
        arenas_(plan_.devices.size(), ArenaPlanner(p.task_order ? &*p.task_order : nullptr)),
        ends_(plan_.steps.size()),
        is_placed_(plan_.values.size()),
        is_taken_over_(plan_.values.size()) {
    for (uint32_t t = 0; t < plan_.tasks.size(); ++t) task_of_.insert(task_of_.end(), plan_.tasks[t].count, t);
    if (plan_.tasks.empty()) return;
    users_.resize(plan_.values.size());
  }

  void Run() {
    for (uint32_t value = 0; value < plan_.values.size(); ++value) {
      const PlanValue& v = plan_.values[value];
      if (v.producer != PlanValue::kNone && !v.kept) ends_[LastUse(v)].push_back(value);
    }
    for (uint32_t s = 0; s < plan_.steps.size(); ++s) PlanStep(s);
    for (size_t device = 0; device < arenas_.size(); ++device)
      plan_.devices[device].arena_bytes = arenas_[device].bytes();
  }

 private:
  void PlanStep(uint32_t s) {
    Step& step = plan_.steps[s];
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      if (MayForward(plan_, step, s, i)) step.forwardable |= uint64_t{1} << i;
    }
    ForEachRead(step, [&](uint32_t value) { AddUser(value, s); });
    TakeOver(step, s);
    for (const uint32_t value : step.outputs) {
      PlanValue& v = plan_.values[value];
      if (v.memory == PlanValue::Memory::kArena && !is_placed_[value]) v.offset = Place(step, s, v);
      AddUser(value, s);
    }
    for (const uint32_t value : ends_[s]) {
      const PlanValue& v = plan_.values[value];
      if (v.memory != PlanValue::Memory::kArena || is_taken_over_[value]) continue;
      arenas_[v.device].Give(v.offset, plan_.ArenaBytes(v), UsersOf(value));
    }
    FindReleased(step, s);
  }

  // Nothing orders a copy to a device after what used the memory there before, so it takes some that nothing has used.
  size_t Place(const Step& step, uint32_t s, const PlanValue& value) {
    ArenaPlanner& arena = arenas_[value.device];
    const size_t bytes = plan_.ArenaBytes(value);
    return step.copy == Step::Copy::kIn ? arena.TakeFresh(bytes) : arena.Take(bytes, TaskOf(s));
  }

  // Where the kernel says that it can, an output takes the block of an input that ends here.
  void TakeOver(const Step& step, uint32_t s) {
    for (const StepAlias& alias : step.aliases) {
      const uint32_t from = step.inputs[alias.input], to = step.outputs[alias.output];
      const PlanValue& in = plan_.values[from];
      PlanValue& out = plan_.values[to];
      const bool both_planned = in.memory == PlanValue::Memory::kArena && out.memory == PlanValue::Memory::kArena &&
                                in.dtype == out.dtype && in.device == out.device;
      if (!both_planned || is_placed_[to] || is_taken_over_[from]) continue;
      if (!MayForward(plan_, step, s, alias.input) || *NumElements(in.shape) != *NumElements(out.shape)) continue;
      out.offset = in.offset;
      is_placed_[to] = is_taken_over_[from] = true;
      if (!users_.empty()) users_[to] = users_[from];
    }
  }

  // One thread gives a dynamic value back after its last reader, several threads count its readers.
  void FindReleased(Step& step, uint32_t s) {
    if (plan_.tasks.empty()) {
      for (const uint32_t value : ends_[s]) AddReleased(step, value);
      return;
    }
    ForEachRead(step, [&](uint32_t value) { AddReleased(step, value); });
    for (const uint32_t value : step.outputs) {
      if (plan_.values[value].readers == 0) AddReleased(step, value);
    }
  }
  void AddReleased(Step& step, uint32_t value) {
    const PlanValue& v = plan_.values[value];
    if (v.memory == PlanValue::Memory::kDynamic && !v.kept) step.released.push_back(value);
  }

  uint32_t TaskOf(uint32_t s) const { return task_of_.empty() ? 0 : task_of_[s]; }
  ArenaPlanner::Users UsersOf(uint32_t value) const { return users_.empty() ? ArenaPlanner::Users() : users_[value]; }
  // Steps come in task order, so the list rises.
  void AddUser(uint32_t value, uint32_t s) {
    if (users_.empty() || plan_.values[value].memory != PlanValue::Memory::kArena) return;
    ArenaPlanner::Users& users = users_[value];
    if (users.empty() || users.back() != task_of_[s]) users.push_back(task_of_[s]);
  }

  Plan& plan_;
  std::vector<ArenaPlanner> arenas_;         // by device
  std::vector<std::vector<uint32_t>> ends_;  // by step: the values that nobody needs after it
  std::vector<bool> is_placed_;              // by value: lies in an input's block
  std::vector<bool> is_taken_over_;          // by value: its block is an output's now
  std::vector<uint32_t> task_of_;            // by step; empty without tasks
  std::vector<ArenaPlanner::Users> users_;   // by value; empty without tasks
};

}  // namespace

void PlanMemory(Planning& p) {
  FindReaders(p.plan);
  MemoryPlanner(p).Run();
}

}  // namespace opsrun::host
