// host/plan/homes.cc: which thread each task is meant for.
//
// A tensor that another thread has written comes from another processor's cache, which may take as long as a small
// kernel. So a task is meant for the thread whose tasks make most of what it reads, as long as all threads get about
// the same work: that of tasks as many steps away from the start as this one. An idle thread takes tasks of others, so
// this need not be right. From that follows in which order tasks probably begin.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>

#include "host/plan/arena_layout.h"
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

// changes: how many more bytes exist from each place on than at the one before it.
double MostAtOnce(const std::vector<double>& changes) {
  double now = 0, most = 0;
  for (const double change : changes) most = std::max(most, now += change);
  return most;
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

// Runs the tasks in its mind: each thread takes one of those that are meant for it, or else another's. Of these, it
// takes the one that leaves the least in memory, unless it is far behind others in the plan: as long as it waits, so
// does the memory of what it reads.
class Rehearsal {
 public:
  explicit Rehearsal(const Plan& plan) : plan_(plan), users_(plan.values.size()), reads_(plan.tasks.size()) {
    for (uint32_t t = 0; t < plan_.tasks.size(); ++t) {
      const Task& task = plan_.tasks[t];
      for (uint32_t s = task.first; s < task.first + task.count; ++s) {
        for (const uint32_t value : plan_.steps[s].outputs) Use(value, t);
        for (const uint32_t value : plan_.steps[s].inputs) Use(value, t);
      }
    }
  }

  // of_place: the bytes that a task may leave in memory for each place that it is before another one.
  void Run(double of_place) {
    of_place_ = of_place;
    begun_.clear();
    waits_.clear();
    now_ = 0;
    ready_.assign(static_cast<size_t>(plan_.threads), {});
    is_idle_.assign(ready_.size(), true);
    left_.clear();
    for (const std::vector<uint32_t>& users : users_) left_.push_back(users.size());
    for (uint32_t t = 0; t < plan_.tasks.size(); ++t) {
      waits_.push_back(plan_.tasks[t].waits_for);
      if (waits_.back() == 0) ready_[plan_.tasks[t].home].insert(t);
    }
    while (begun_.size() < plan_.tasks.size()) {
      for (uint32_t thread = 0; thread < ready_.size(); ++thread) Begin(thread);
      EndNext();
    }
    while (!running_.empty()) EndNext();
  }

  const std::vector<uint32_t>& order() const { return begun_; }
  double time() const { return now_; }
  // The most bytes that exist at once if a task may take the memory of those that begin `threads` places before it.
  double Bytes() const {
    std::vector<size_t> place_of(begun_.size());
    for (size_t place = 0; place < begun_.size(); ++place) place_of[begun_[place]] = place;
    std::vector<double> changes(begun_.size() + 1);
    for (uint32_t value = 0; value < users_.size(); ++value) {
      if (users_[value].empty()) continue;
      size_t first = begun_.size(), last = 0;
      for (const uint32_t user : users_[value]) {
        first = std::min(first, place_of[user]);
        last = std::max(last, place_of[user]);
      }
      const size_t end = plan_.values[value].kept ? begun_.size() : last + static_cast<size_t>(plan_.threads);
      changes[first] += BytesOf(plan_, value);
      changes[std::min(end, begun_.size())] -= BytesOf(plan_, value);
    }
    return MostAtOnce(changes);
  }

 private:
  struct Running {
    double end = 0;
    uint32_t task = 0, thread = 0;
    auto operator<=>(const Running&) const = default;
  };

  void Use(uint32_t value, uint32_t task) {
    std::vector<uint32_t>& users = users_[value];
    if (plan_.values[value].memory != PlanValue::Memory::kArena || (!users.empty() && users.back() == task)) return;
    users.push_back(task);
    reads_[task].push_back(value);
  }

  // The bytes that exist after the task and not before it.
  double Leaves(uint32_t task) const {
    double bytes = 0;
    for (const uint32_t value : reads_[task]) {
      const bool is_new = users_[value][0] == task, ends = left_[value] == 1 && !plan_.values[value].kept;
      if (is_new != ends) bytes += is_new ? BytesOf(plan_, value) : -BytesOf(plan_, value);
    }
    return bytes;
  }

  uint32_t BestOf(const std::set<uint32_t>& tasks) const {
    constexpr size_t kConsidered = 32;
    uint32_t best = *tasks.begin();
    double least = of_place_ * best + Leaves(best);
    size_t considered = 1;
    for (auto task = std::next(tasks.begin()); task != tasks.end() && considered < kConsidered; ++task, ++considered) {
      const double leaves = of_place_ * *task + Leaves(*task);
      if (leaves >= least) continue;
      least = leaves;
      best = *task;
    }
    return best;
  }

  void Begin(uint32_t thread) {
    const auto has_some = [](const std::set<uint32_t>& tasks) { return !tasks.empty(); };
    const auto from = has_some(ready_[thread]) ? ready_.begin() + thread : std::ranges::find_if(ready_, has_some);
    if (!is_idle_[thread] || from == ready_.end()) return;
    const uint32_t task = BestOf(*from);
    from->erase(task);
    is_idle_[thread] = false;
    begun_.push_back(task);
    running_.insert({now_ + CostOf(plan_, plan_.tasks[task]), task, thread});
  }
  void EndNext() {
    const Running next = *running_.begin();
    running_.erase(running_.begin());
    now_ = next.end;
    is_idle_[next.thread] = true;
    for (const uint32_t value : reads_[next.task]) --left_[value];
    for (const uint32_t waiting : plan_.tasks[next.task].next) {
      if (--waits_[waiting] == 0) ready_[plan_.tasks[waiting].home].insert(waiting);
    }
  }

  const Plan& plan_;
  std::vector<std::vector<uint32_t>> users_;  // by value in the arena: the tasks that make or read it
  std::vector<std::vector<uint32_t>> reads_;  // by task: the values that it makes or reads
  double of_place_ = 0;
  std::vector<size_t> left_;               // by value: how many of its users have not ended
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

size_t BytesInOrder(const Plan& plan) {
  std::vector<uint32_t> last(plan.values.size());
  for (uint32_t s = 0; s < plan.steps.size(); ++s) {
    for (const uint32_t value : plan.steps[s].outputs) last[value] = s;
    for (const uint32_t value : plan.steps[s].inputs) last[value] = s;
  }
  std::vector<double> changes(plan.steps.size() + 1);
  for (uint32_t s = 0; s < plan.steps.size(); ++s) {
    for (const uint32_t value : plan.steps[s].outputs) {
      changes[s] += BytesOf(plan, value);
      if (!plan.values[value].kept) changes[last[value] + 1] -= BytesOf(plan, value);
    }
  }
  return static_cast<size_t>(MostAtOnce(changes));
}

// The order of the plan, or another one that takes about as long and needs less memory.
std::vector<uint32_t> ExpectedOrder(const Plan& plan) {
  constexpr double kOfTask = size_t{32} << 10, kMostLonger = 1.03, kLeast = 0.008, kMost = 0.1;
  double bytes = 0;
  for (uint32_t value = 0; value < plan.values.size(); ++value) bytes += BytesOf(plan, value);
  const double of_task = bytes / static_cast<double>(plan.tasks.size());
  if (of_task < kOfTask) return {};
  Rehearsal rehearsal(plan);
  rehearsal.Run(bytes);
  std::vector<uint32_t> best = rehearsal.order();
  const double time = rehearsal.time();
  double least = rehearsal.Bytes();
  if (plan.tasks.size() > ArenaLayout::kMostBlocks) return best;
  for (double share = kLeast; share < kMost; share *= 1.2) {
    rehearsal.Run(share * of_task);
    if (rehearsal.time() > kMostLonger * time || rehearsal.Bytes() >= least) continue;
    best = rehearsal.order();
    least = rehearsal.Bytes();
  }
  return best;
}

}  // namespace opsrun::host
