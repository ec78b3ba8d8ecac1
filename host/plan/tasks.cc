// host/plan/tasks.cc: what can run concurrently: chains of steps, and which chain waits for which.
//
// A step belongs to the chain of the step before it if it waits only for that step, and no other step waits for that
// one. Many chains that wait for the same steps are grouped into a few tasks: thousands of tasks would cost time, and
// memory that they cannot share, without benefit for a few threads. Steps are reordered by task, so a task is a range
// of steps. The steps of a sweep stay together: what is said of a step is true of a unit, a sweep or a single step.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "host/graph/compiled_graph.h"
#include "host/plan/planning.h"

namespace opsrun::host {
namespace {

using Edges = std::vector<std::vector<uint32_t>>;

void MakeUnique(std::vector<uint32_t>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

// The steps of each unit.
Edges FindUnits(const Plan& plan) {
  Edges units;
  auto sweep = plan.sweeps.begin();
  for (uint32_t s = 0; s < plan.steps.size(); ++s) {
    if (sweep != plan.sweeps.end() && s == sweep->first + sweep->count) ++sweep;
    const bool continues = sweep != plan.sweeps.end() && s > sweep->first;
    if (!continues) units.emplace_back();
    units.back().push_back(s);
  }
  return units;
}

Edges FindWaits(const Planning& p, const Edges& units) {
  const std::vector<uint32_t> step_of_node = StepsOfNodes(p);
  std::vector<uint32_t> unit_of(p.plan.steps.size());
  for (uint32_t u = 0; u < units.size(); ++u) {
    for (const uint32_t s : units[u]) unit_of[s] = u;
  }
  Edges waits(units.size());
  for (uint32_t s = 0; s < unit_of.size(); ++s) {
    const auto add = [&](uint32_t step) {
      if (unit_of[step] != unit_of[s]) waits[unit_of[s]].push_back(unit_of[step]);
    };
    for (const uint32_t value : p.plan.steps[s].inputs) {
      const uint32_t producer = p.plan.values[value].producer;
      if (producer != PlanValue::kNone) add(producer);
    }
    ForEachAfter(p, p.plan.steps[s], [&](uint32_t node) { add(step_of_node[node]); });
  }
  for (std::vector<uint32_t>& of_unit : waits) MakeUnique(of_unit);
  return waits;
}

// The chains in the order of their first steps, which do all the waiting, so each chain comes after those it waits for.
Edges FindChains(const Edges& waits) {
  std::vector<uint32_t> followers(waits.size(), 0);
  for (const std::vector<uint32_t>& earlier : waits) {
    for (const uint32_t s : earlier) ++followers[s];
  }
  Edges chains;
  std::vector<uint32_t> chain_of(waits.size());
  for (uint32_t s = 0; s < waits.size(); ++s) {
    const bool continues = waits[s].size() == 1 && followers[waits[s][0]] == 1;
    chain_of[s] = continues ? chain_of[waits[s][0]] : static_cast<uint32_t>(chains.size());
    if (!continues) chains.emplace_back();
    chains[chain_of[s]].push_back(s);
  }
  return chains;
}

// The groups that each group waits for, which are those of its first member.
Edges WaitsOfGroups(const Edges& groups, const Edges& waits) {
  std::vector<uint32_t> group_of(waits.size());
  for (uint32_t g = 0; g < groups.size(); ++g) {
    for (const uint32_t member : groups[g]) group_of[member] = g;
  }
  Edges of_groups(groups.size());
  for (uint32_t g = 0; g < groups.size(); ++g) {
    for (const uint32_t earlier : waits[groups[g][0]]) of_groups[g].push_back(group_of[earlier]);
    MakeUnique(of_groups[g]);
  }
  return of_groups;
}

// The chains of each task. A task takes the position of its first chain; the others do not wait for more than that one.
Edges GroupChains(const Edges& chain_waits, int threads) {
  constexpr size_t kTasksPerThread = 8;
  std::map<std::vector<uint32_t>, std::vector<uint32_t>> siblings;
  for (uint32_t c = 0; c < chain_waits.size(); ++c) siblings[chain_waits[c]].push_back(c);
  const size_t most = kTasksPerThread * static_cast<size_t>(threads);
  Edges groups;
  for (const auto& [waits, chains] : siblings) {
    const size_t count = std::min(chains.size(), most);
    for (size_t g = 0; g < count; ++g) {
      groups.emplace_back(chains.begin() + static_cast<ptrdiff_t>(g * chains.size() / count),
                          chains.begin() + static_cast<ptrdiff_t>((g + 1) * chains.size() / count));
    }
  }
  std::sort(groups.begin(), groups.end());
  return groups;
}

// The members of the members of each group.
Edges MembersOf(const Edges& groups, const Edges& members) {
  Edges all;
  for (const std::vector<uint32_t>& group : groups) {
    all.emplace_back();
    for (const uint32_t g : group) all.back().insert(all.back().end(), members[g].begin(), members[g].end());
  }
  return all;
}

void Reorder(Plan& plan, const Edges& steps_of_tasks) {
  std::vector<Step> steps;
  std::vector<uint32_t> moved_to(plan.steps.size());
  steps.reserve(plan.steps.size());
  for (const std::vector<uint32_t>& of_task : steps_of_tasks) {
    Task task;
    task.first = static_cast<uint32_t>(steps.size());
    task.count = static_cast<uint32_t>(of_task.size());
    plan.tasks.push_back(std::move(task));
    for (const uint32_t s : of_task) {
      moved_to[s] = static_cast<uint32_t>(steps.size());
      steps.push_back(std::move(plan.steps[s]));
    }
  }
  for (Sweep& sweep : plan.sweeps) sweep.first = moved_to[sweep.first];
  std::ranges::sort(plan.sweeps, {}, &Sweep::first);
  plan.steps = std::move(steps);
  for (uint32_t s = 0; s < plan.steps.size(); ++s) {
    for (const uint32_t value : plan.steps[s].outputs) plan.values[value].producer = s;
  }
}

void Connect(Plan& plan, const Edges& task_waits) {
  for (uint32_t t = 0; t < task_waits.size(); ++t) {
    plan.tasks[t].waits_for = static_cast<uint32_t>(task_waits[t].size());
    for (const uint32_t earlier : task_waits[t]) plan.tasks[earlier].next.push_back(t);
  }
}

// Each task waits for the one before it, so none run at the same time.
bool AreInOrder(const Edges& task_waits) {
  for (uint32_t t = 1; t < task_waits.size(); ++t) {
    if (std::ranges::find(task_waits[t], t - 1) == task_waits[t].end()) return false;
  }
  return true;
}

void OrderAsExpected(Plan& plan, Edges& task_waits) {
  const std::vector<uint32_t> order = ExpectedOrder(plan);
  if (order.empty()) return;
  std::vector<uint32_t> place_of(order.size()), homes;
  for (uint32_t place = 0; place < order.size(); ++place) place_of[order[place]] = place;
  Edges steps, waits;
  for (const uint32_t t : order) {
    const Task& task = plan.tasks[t];
    homes.push_back(task.home);
    steps.emplace_back(task.count);
    std::iota(steps.back().begin(), steps.back().end(), task.first);
    for (uint32_t& earlier : task_waits[t]) earlier = place_of[earlier];
    MakeUnique(task_waits[t]);
    waits.push_back(std::move(task_waits[t]));
  }
  task_waits = std::move(waits);
  plan.tasks.clear();
  Reorder(plan, steps);
  Connect(plan, task_waits);
  for (uint32_t t = 0; t < homes.size(); ++t) plan.tasks[t].home = homes[t];
}

// Other steps are only enqueued, one after another, by any thread.
bool KeepsAThread(const Step& step) {
  if (step.copy != Step::Copy::kNone) return false;
  return step.device == kCpu || (step.kernel()->flags & OPSRUN_KERNEL_WAITS) != 0;
}

}  // namespace

std::vector<uint32_t> StepsOfNodes(const Planning& p) {
  std::vector<uint32_t> step_of_node(p.nodes.size() + p.plan.copy_nodes.size());
  for (uint32_t s = 0; s < p.plan.steps.size(); ++s) {
    step_of_node[p.plan.steps[s].node] = s;
    for (const Step& fused : p.plan.steps[s].more->fused) step_of_node[fused.node] = s;
  }
  return step_of_node;
}

void ForEachAfter(const Planning& p, const Step& step, const std::function<void(uint32_t node)>& fn) {
  for (const Step& fused : step.more->fused) ForEachAfter(p, fused, fn);
  if (p.graph.compiled != nullptr) {
    const std::span<const CompiledAfter> after = p.graph.compiled->after;
    for (auto each = std::ranges::lower_bound(after, step.node, {}, &CompiledAfter::node);
         each != after.end() && each->node == step.node; ++each)
      fn(each->earlier);
    return;
  }
  for (const Located<std::string>& name : p.plan.NodeOf(step).after) {
    const auto target = p.names.find(name.value);
    if (target != p.names.end() && target->second.kind == NameTarget::Kind::kNode) fn(target->second.index);
  }
}

void PlanTasks(Planning& p) {
  if (p.in.threads < 2 || std::none_of(p.plan.steps.begin(), p.plan.steps.end(), KeepsAThread)) return;
  const Edges units = FindUnits(p.plan);
  const Edges waits = FindWaits(p, units);
  const Edges chains = FindChains(waits);
  const Edges chain_waits = WaitsOfGroups(chains, waits);
  const Edges groups = GroupChains(chain_waits, p.in.threads);
  Edges task_waits = WaitsOfGroups(groups, chain_waits);
  if (AreInOrder(task_waits)) return;
  p.bytes_in_order = BytesInOrder(p.plan);
  Reorder(p.plan, MembersOf(MembersOf(groups, chains), units));
  Connect(p.plan, task_waits);
  PlanHomes(p.plan);
  OrderAsExpected(p.plan, task_waits);
  p.task_order.emplace(task_waits);
}

// What a step must wait for even though the step that makes it has returned.
//
// Steps on the CPU are done when they return. A device has three queues: one for kernels and one for copies in each
// direction. Their work is done later, and in order only within a queue. So a step that needs something from another
// queue waits for it: a CPU step before it begins, a device step on its stream. A device kernel that reads a tensor in
// CPU memory reads it when it is called, so the CPU waits for that tensor, too.

namespace {

using Queue = std::pair<uint32_t, Step::Copy>;  // a device, and the kind of its work

Queue QueueOf(const Step& step) {
  return {step.device, step.copy};
}

class AwaitsPlanner {
 public:
  explicit AwaitsPlanner(Planning& p) : p_(p), plan_(p.plan), step_of_node_(StepsOfNodes(p)) {}

  void Run() {
    for (uint32_t s = 0; s < plan_.steps.size(); ++s) PlanStep(s);
  }

 private:
  void PlanStep(uint32_t s) {
    Step& step = plan_.steps[s];
    std::vector<uint32_t> earlier, read_on_cpu;
    for (const uint32_t value : step.inputs) {
      if (!IsLate(plan_.values[value])) continue;
      const bool on_cpu = step.copy == Step::Copy::kNone && plan_.values[value].device == kCpu;
      (on_cpu ? read_on_cpu : earlier).push_back(plan_.values[value].producer);
    }
    ForEachAfter(p_, step, [&](uint32_t node) { earlier.push_back(step_of_node_[node]); });
    const std::span<uint32_t> on_cpu = Awaited({kCpu, Step::Copy::kNone}, LastFirst(std::move(read_on_cpu)));
    const std::span<uint32_t> on_queue = Awaited(QueueOf(step), LastFirst(std::move(earlier)));
    if (on_cpu.empty() && on_queue.empty()) return;
    StepExtras& more = plan_.More(step);
    more.awaited_on_cpu = on_cpu;
    more.awaited = on_queue;
  }

  // Puts the last step of a queue, which implies the earlier ones, first.
  static std::vector<uint32_t> LastFirst(std::vector<uint32_t> steps) {
    std::sort(steps.begin(), steps.end(), std::greater<>());
    return steps;
  }

  // True if the value may not be there yet when its step has returned.
  bool IsLate(const PlanValue& value) const {
    if (value.producer == PlanValue::kNone) return false;
    const Step& step = plan_.steps[value.producer];
    const bool made_by_cpu = step.copy == Step::Copy::kNone && value.device == 0 &&
                             (step.kernel()->flags & OPSRUN_KERNEL_HOST_OUTPUT_ON_STREAM) == 0;
    return step.device != 0 && !made_by_cpu;
  }

  // Of these steps.
  std::span<uint32_t> Awaited(const Queue& mine, const std::vector<uint32_t>& steps) {
    std::vector<uint32_t> awaited;
    for (const uint32_t before : steps) Await(mine, before, awaited);
    return plan_.Keep(awaited);
  }

  void Await(const Queue& mine, uint32_t before, std::vector<uint32_t>& awaited) {
    const Queue other = QueueOf(plan_.steps[before]);
    if (other.first == 0 || mine == other) return;
    if (plan_.tasks.empty() && !IsNews(mine, other, before)) return;
    if (std::find(awaited.begin(), awaited.end(), before) == awaited.end()) awaited.push_back(before);
  }

  // For sequential steps: a queue that has waited for a later step of another has also waited for the earlier ones.
  bool IsNews(const Queue& mine, const Queue& other, uint32_t before) {
    const auto [known, first] = seen_.emplace(std::pair(mine, other), before);
    if (!first && known->second >= before) return false;
    known->second = before;
    return true;
  }

  Planning& p_;
  Plan& plan_;
  const std::vector<uint32_t> step_of_node_;
  std::map<std::pair<Queue, Queue>, uint32_t> seen_;  // the last step of the second queue that the first has waited for
};

void KeepAfter(Planning& p) {
  const std::vector<uint32_t> step_of_node = StepsOfNodes(p);
  for (Step& step : p.plan.steps) {
    std::vector<uint32_t> after;
    ForEachAfter(p, step, [&](uint32_t node) {
      const uint32_t earlier = step_of_node[node];
      if (&p.plan.steps[earlier] != &step) after.push_back(earlier);  // of nodes that are one step
    });
    if (!after.empty()) p.plan.More(step).after = p.plan.Keep(after);
  }
}

}  // namespace

void PlanAwaits(Planning& p) {
  if (p.plan.devices.size() > 1) AwaitsPlanner(p).Run();
  if (p.in.keep_going) KeepAfter(p);
}

}  // namespace opsrun::host
