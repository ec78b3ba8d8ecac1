// host/plan/homes.cc: which thread each task is meant for.
//
// A tensor that another thread has written comes from another processor's cache, which may take as long as a small
// kernel. So a task is meant for the thread whose tasks make most of what it reads, as long as all threads get about
// the same work: that of tasks as many steps away from the start as this one. An idle thread takes tasks of others, so
// this need not be right. From that follows in which order tasks probably begin.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <set>

#include "host/plan/planning.h"

namespace opsrun::host {
namespace {

double BytesOf(const Plan& plan, uint32_t value) {
  const PlanValue& v = plan.values[value];
  return v.memory == PlanValue::Memory::kArena ? static_cast<double>(plan.ArenaBytes(v)) : 0;
}

// In bytes, of which a processor reads so many while it begins a step.
double CostOf(const Plan& plan, const Task& task) {
  constexpr double kStep = 3000;
  double cost = 0;
  for (uint32_t s = task.first; s < task.first + task.count; ++s) {
    cost += kStep;
    for (const uint32_t value : plan.steps[s].inputs) cost += BytesOf(plan, value);
    for (const uint32_t value : plan.steps[s].outputs) cost += BytesOf(plan, value);
  }
  return cost;
}

class HomesPlanner {
 public:
  explicit HomesPlanner(Plan& plan)
      : plan_(plan),
        costs_(plan.tasks.size()),
        levels_(plan.tasks.size()),
        given_(static_cast<size_t>(plan.threads)),
        read_(given_.size()) {
    for (uint32_t t = 0; t < plan_.tasks.size(); ++t) task_of_.insert(task_of_.end(), plan_.tasks[t].count, t);
  }

  void Run() {
    for (uint32_t t = 0; t < plan_.tasks.size(); ++t) {
      costs_[t] = CostOf(plan_, plan_.tasks[t]);
      for (const uint32_t next : plan_.tasks[t].next) levels_[next] = std::max(levels_[next], levels_[t] + 1);
    }
    std::vector<uint32_t> by_level(plan_.tasks.size());
    std::iota(by_level.begin(), by_level.end(), 0);
    std::ranges::stable_sort(by_level, {}, [&](uint32_t t) { return levels_[t]; });
    for (auto first = by_level.begin(); first != by_level.end();) {
      const auto end = std::find_if(first, by_level.end(), [&](uint32_t t) { return levels_[t] != levels_[*first]; });
      PlanLevel({first, end});
      first = end;
    }
  }

 private:
  void PlanLevel(std::span<const uint32_t> tasks) {
    double all = 0, largest = 0;
    for (const uint32_t t : tasks) {
      all += costs_[t];
      largest = std::max(largest, costs_[t]);
    }
    share_ = std::max(all / static_cast<double>(plan_.threads), largest);
    std::ranges::fill(given_, 0);
    uint32_t other = 0;
    for (const uint32_t t : tasks) {
      uint32_t home = NearestOf(plan_.tasks[t]).value_or(other);
      if (IsFullFor(home, t)) {
        if (IsFullFor(other, t)) other = static_cast<uint32_t>(std::ranges::min_element(given_) - given_.begin());
        home = other;
      }
      given_[home] += costs_[t];
      plan_.tasks[t].home = home;
    }
  }
  bool IsFullFor(uint32_t home, uint32_t task) const { return given_[home] + costs_[task] / 2 > share_; }

  // The thread whose tasks make most of what the task reads; nothing if it reads only feeds.
  std::optional<uint32_t> NearestOf(const Task& task) {
    std::ranges::fill(read_, 0);
    for (uint32_t s = task.first; s < task.first + task.count; ++s) {
      for (const uint32_t value : plan_.steps[s].inputs) {
        const uint32_t producer = plan_.values[value].producer;
        if (producer != PlanValue::kNone && producer < task.first)
          read_[plan_.tasks[task_of_[producer]].home] += BytesOf(plan_, value) + 1;
      }
    }
    const auto most = std::ranges::max_element(read_);
    return *most == 0 ? std::nullopt : std::optional(static_cast<uint32_t>(most - read_.begin()));
  }

  Plan& plan_;
  std::vector<uint32_t> task_of_;  // by step
  std::vector<double> costs_;      // by task
  std::vector<uint32_t> levels_;   // by task: how many tasks are before it, on the longest way from the start
  std::vector<double> given_;      // by thread: the cost of its tasks in this level
  std::vector<double> read_;       // by thread: what its tasks make of the inputs of the present task
  double share_ = 0;               // what each thread should get
};

// Runs the tasks in its mind: each thread takes those that are meant for it, in their order, or else another's.
class Rehearsal {
 public:
  explicit Rehearsal(const Plan& plan)
      : plan_(plan), ready_(static_cast<size_t>(plan.threads)), is_idle_(ready_.size(), true) {}

  std::vector<uint32_t> Run() {
    for (uint32_t t = 0; t < plan_.tasks.size(); ++t) {
      waits_.push_back(plan_.tasks[t].waits_for);
      if (waits_.back() == 0) ready_[plan_.tasks[t].home].insert(t);
    }
    while (begun_.size() < plan_.tasks.size()) {
      for (uint32_t thread = 0; thread < ready_.size(); ++thread) Begin(thread);
      EndNext();
    }
    return std::move(begun_);
  }

 private:
  struct Running {
    double end = 0;
    uint32_t task = 0, thread = 0;
    auto operator<=>(const Running&) const = default;
  };

  void Begin(uint32_t thread) {
    const auto has_some = [](const std::set<uint32_t>& tasks) { return !tasks.empty(); };
    const auto from = has_some(ready_[thread]) ? ready_.begin() + thread : std::ranges::find_if(ready_, has_some);
    if (!is_idle_[thread] || from == ready_.end()) return;
    const uint32_t task = *from->begin();
    from->erase(from->begin());
    is_idle_[thread] = false;
    begun_.push_back(task);
    running_.insert({now_ + CostOf(plan_, plan_.tasks[task]), task, thread});
  }
  void EndNext() {
    const Running next = *running_.begin();
    running_.erase(running_.begin());
    now_ = next.end;
    is_idle_[next.thread] = true;
    for (const uint32_t waiting : plan_.tasks[next.task].next) {
      if (--waits_[waiting] == 0) ready_[plan_.tasks[waiting].home].insert(waiting);
    }
  }

  const Plan& plan_;
  std::vector<std::set<uint32_t>> ready_;  // by home
  std::vector<bool> is_idle_;              // by thread
  std::vector<uint32_t> waits_;            // by task: for how many it still waits
  std::vector<uint32_t> begun_;
  std::set<Running> running_;
  double now_ = 0;
};

}  // namespace

void PlanHomes(Plan& plan) {
  HomesPlanner(plan).Run();
}

std::vector<uint32_t> ExpectedOrder(const Plan& plan) {
  constexpr size_t kOfTask = size_t{32} << 10;
  size_t bytes = 0;
  for (const PlanValue& value : plan.values) {
    if (value.memory == PlanValue::Memory::kArena) bytes += plan.ArenaBytes(value);
  }
  return bytes < kOfTask * plan.tasks.size() ? std::vector<uint32_t>() : Rehearsal(plan).Run();
}

}  // namespace opsrun::host
