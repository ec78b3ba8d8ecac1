// host/plan/memory.cc: last readers, forwarding, and the location of each value in the arena.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <span>

#include "host/plan/arena_layout.h"
#include "host/plan/planning.h"

namespace opsrun::host {
namespace {

// Calls fn(value) once per value that the step reads, even if it reads the value several times.
template <typename Fn>
void ForEachRead(const Step& step, Fn fn) {
  if (step.inputs.size() <= 2) {
    for (const uint32_t& value : step.inputs) {
      if (&value == step.inputs.data() || value != step.inputs[0]) fn(value);
    }
    return;
  }
  std::vector<uint32_t> values(step.inputs.begin(), step.inputs.end());
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

// The last step that uses the value: its last reader, or its producer if it has no reader.
uint32_t LastUse(const PlanValue& value) {
  return value.last_reader != PlanValue::kNone ? value.last_reader : value.producer;
}

// In tasks, only a sole reader is known to be the last one. A dynamic value is then released by whoever is last.
bool MayForward(const Plan& plan, uint32_t s, size_t input, bool in_order) {
  const Step& step = plan.steps[s];
  const uint32_t value = step.inputs[input];
  const PlanValue& v = plan.values[value];
  const bool is_last = plan.tasks.empty() || v.readers == 1 || (in_order && v.memory == PlanValue::Memory::kArena);
  return plan.forwards && v.producer != PlanValue::kNone && !v.kept && v.last_reader == s && is_last &&
         std::ranges::count(step.inputs, value) == 1;
}

uint64_t ForwardableOf(const Plan& plan, uint32_t s, bool in_order) {
  uint64_t inputs = 0;
  for (size_t i = 0; i < std::min(plan.steps[s].inputs.size(), kMostForwarded); ++i)
    inputs |= uint64_t{MayForward(plan, s, i, in_order)} << i;
  return inputs;
}

// If the kernel allows it, an output takes over the block of an input that ends here.
bool MayTakeOver(const Plan& plan, const Step& step, const StepAlias& alias, uint64_t forwardable) {
  const PlanValue &in = plan.values[step.inputs[alias.input]], &out = plan.values[step.outputs[alias.output]];
  const bool both_planned = in.memory == PlanValue::Memory::kArena && out.memory == PlanValue::Memory::kArena &&
                            in.dtype == out.dtype && in.device == out.device && in.tile_bytes == out.tile_bytes;
  if (!both_planned || (forwardable >> alias.input & 1) == 0) return false;
  if (in.sizes == out.sizes || in.shape() == out.shape()) return true;
  return !alias.same_shape && *NumElements(in.shape()) == *NumElements(out.shape());
}

// Values that are made and read within the sweep have memory for a tile on each thread, in one block of the arena.
// Their offsets are those in this block.
void PlanTiles(Plan& plan, Sweep& sweep) {
  const uint32_t end = sweep.first + sweep.count;
  ArenaPlanner tiles(nullptr);
  auto part = sweep.parts.begin();
  for (uint32_t s = sweep.first; s < end; ++s) {
    const Step& step = plan.steps[s];
    part += static_cast<ptrdiff_t>(step.inputs.size());
    const uint32_t to = step.outputs[0];
    PlanValue& out = plan.values[to];
    uint32_t taken_over = PlanValue::kNone;
    if (!out.kept && LastUse(out) < end) {
      out.tile_bytes = plan.ArenaBytes(
          kCpu, static_cast<size_t>(sweep.rows_per_tile * *NumElements(part->shape)) * DTypeSize(out.dtype));
      const auto alias = std::ranges::find_if(
          step.kind->aliases, [&](const StepAlias& each) { return MayTakeOver(plan, step, each, step.forwardable); });
      if (alias != step.kind->aliases.end()) taken_over = step.inputs[alias->input];
      out.offset = taken_over == PlanValue::kNone ? tiles.Take(out.tile_bytes, 0) : plan.values[taken_over].offset;
    }
    ++part;
    const auto give = [&](uint32_t value) {
      const PlanValue& v = plan.values[value];
      if (v.tile_bytes > 0 && LastUse(v) == s && value != taken_over) tiles.Give(v.offset, v.tile_bytes, {});
    };
    ForEachRead(step, give);
    give(to);
  }
  sweep.bytes_per_thread = tiles.bytes();
}

// The arena of a device: a block has a place when it is made, and perhaps a better one once all are known.
class Arena {
 public:
  explicit Arena(const TaskOrder* order) : order_(order), planner_(order) {}

  // As in ArenaLayout, and in step order.
  uint32_t Begin(size_t bytes, uint32_t step, uint32_t task, bool fresh) {
    blocks_.push_back({fresh ? planner_.TakeFresh(bytes) : planner_.Take(bytes, task), bytes});
    return layout_.Begin(bytes, step, task, fresh);
  }
  void End(uint32_t block, uint32_t step, const ArenaPlanner::Users& users) {
    planner_.Give(blocks_[block].offset, blocks_[block].bytes, users);
    layout_.End(block, step, users);
  }
  void Improve() {
    const std::optional<size_t> least = layout_.LowerBound();
    is_improved_ = least && bytes() > *least && layout_.Improve(bytes(), order_);
  }
  // If tasks that may run in any order need more than twice the memory of one thread, a task takes the memory of those
  // that probably end before it, and waits for them: of those that are many places before it, as long as `enough` bytes
  // are enough then. Small tasks are too short for that.
  std::vector<std::pair<uint32_t, uint32_t>> LetTasksWait(const Plan& plan, size_t enough) {
    constexpr size_t kWorth = size_t{64} << 10, kOfTask = size_t{32} << 10, kMostPlaces = 4;
    const std::optional<size_t> least = layout_.LowerBound();
    if (!least || bytes() <= 2 * *least + kWorth || layout_.AllBytes() < kOfTask * plan.tasks.size()) return {};
    const auto threads = static_cast<size_t>(plan.threads);
    size_t window = kMostPlaces * threads;
    while (window > threads && layout_.LeastOf(plan.tasks, window) > enough) --window;
    if (!layout_.Improve(bytes() - bytes() / 8, order_, window, plan.tasks)) return {};
    is_improved_ = true;
    return layout_.NewWaits();
  }

  size_t OffsetOf(uint32_t block) const { return is_improved_ ? layout_.OffsetOf(block) : blocks_[block].offset; }
  size_t bytes() const { return is_improved_ ? layout_.bytes() : planner_.bytes(); }

 private:
  struct Block {
    size_t offset = 0, bytes = 0;
  };

  const TaskOrder* order_;
  ArenaPlanner planner_;
  ArenaLayout layout_;
  std::vector<Block> blocks_;  // where planner_ has put them
  bool is_improved_ = false;   // layout_ has better places
};

// Requires: PlanTiles has been called for all sweeps.
class MemoryPlanner {
 public:
  // order: null if one thread runs all steps in order.
  MemoryPlanner(const Plan& plan, const TaskOrder* order)
      : plan_(plan),
        is_in_order_(order == nullptr),
        arenas_(plan_.devices.size(), Arena(order)),
        block_of_(plan_.values.size()),
        workspace_of_(plan_.steps.size()),
        first_end_(plan_.steps.size() + 1),
        is_placed_(plan_.values.size()),
        is_taken_over_(plan_.values.size()) {
    for (uint32_t s = 0; s < plan_.steps.size(); ++s) end_of_.push_back(s);
    for (const Sweep& sweep : plan_.sweeps)
      std::fill_n(end_of_.begin() + sweep.first, sweep.count, sweep.first + sweep.count - 1);
    if (is_in_order_) return;
    for (uint32_t t = 0; t < plan_.tasks.size(); ++t) task_of_.insert(task_of_.end(), plan_.tasks[t].count, t);
    users_.resize(plan_.values.size());
  }

  void Run() {
    FindEnds();
    for (uint32_t s = 0; s < plan_.steps.size(); ++s) PlanStep(s);
  }

  Arena& arena(uint32_t device) { return arenas_[device]; }
  uint64_t ForwardableOf(uint32_t s) const {
    return is_in_order_ && !plan_.tasks.empty() ? host::ForwardableOf(plan_, s, true) : plan_.steps[s].forwardable;
  }
  // Of a value in an arena.
  size_t OffsetOf(uint32_t value) const {
    const PlanValue& v = plan_.values[value];
    return arenas_[v.device].OffsetOf(block_of_[value]) + (v.tile_bytes > 0 ? v.offset : 0);
  }
  size_t WorkspaceOf(uint32_t s) const {
    const Step& step = plan_.steps[s];
    return step.more->workspace_bytes > 0 ? arenas_[step.device].OffsetOf(workspace_of_[s]) : 0;
  }
  // The values that no step uses after this one.
  std::span<const uint32_t> EndsOf(uint32_t s) const {
    return std::span(ends_).subspan(first_end_[s], first_end_[s + 1] - first_end_[s]);
  }

 private:
  // Sorts the values by the step that ends them.
  void FindEnds() {
    const auto end_of = [&](uint32_t value) {
      const PlanValue& v = plan_.values[value];
      return v.producer != PlanValue::kNone && !v.kept ? end_of_[LastUse(v)] : PlanValue::kNone;
    };
    for (uint32_t value = 0; value < plan_.values.size(); ++value) {
      if (const uint32_t s = end_of(value); s != PlanValue::kNone) ++first_end_[s];
    }
    std::inclusive_scan(first_end_.begin(), first_end_.end(), first_end_.begin());
    ends_.resize(first_end_.back());
    for (auto value = static_cast<uint32_t>(plan_.values.size()); value-- > 0;) {
      if (const uint32_t s = end_of(value); s != PlanValue::kNone) ends_[--first_end_[s]] = value;
    }
  }

  void PlanStep(uint32_t s) {
    const Step& step = plan_.steps[s];
    const bool is_tiled = next_sweep_ < plan_.sweeps.size() && plan_.sweeps[next_sweep_].first <= s;
    const size_t tiles = is_tiled ? plan_.sweeps[next_sweep_].bytes_per_thread * static_cast<size_t>(plan_.threads) : 0;
    if (tiles > 0 && plan_.sweeps[next_sweep_].first == s) tiles_ = Begin(kCpu, tiles, s);
    ForEachRead(step, [&](uint32_t value) { AddUser(value, s); });
    TakeOver(step, s);
    for (const uint32_t value : step.outputs) {
      const PlanValue& v = plan_.values[value];
      if (v.memory == PlanValue::Memory::kArena && !is_placed_[value])
        block_of_[value] = v.tile_bytes > 0 ? tiles_ : Begin(v.device, plan_.ArenaBytes(v), s);
      AddUser(value, s);
    }
    // Beside all that the step reads and writes, and free after it.
    if (step.more->workspace_bytes > 0) {
      workspace_of_[s] = Begin(step.device, plan_.ArenaBytes(step.device, step.more->workspace_bytes), s);
      arenas_[step.device].End(workspace_of_[s], s, OnlyUser(s));
    }
    for (const uint32_t value : EndsOf(s)) {
      const PlanValue& v = plan_.values[value];
      if (v.memory == PlanValue::Memory::kArena && !is_taken_over_[value] && v.tile_bytes == 0)
        arenas_[v.device].End(block_of_[value], s, UsersOf(value));
    }
    if (!is_tiled || end_of_[s] != s) return;
    if (tiles > 0) arenas_[kCpu].End(tiles_, s, OnlyUser(s));
    ++next_sweep_;
  }

  // A copy to a device is not ordered after earlier uses of memory there, so it gets memory that was never used.
  uint32_t Begin(uint32_t device, size_t bytes, uint32_t s) {
    const bool fresh = plan_.steps[s].copy == Step::Copy::kIn;
    return arenas_[device].Begin(bytes, s, task_of_.empty() ? 0 : task_of_[s], fresh);
  }

  void TakeOver(const Step& step, uint32_t s) {
    if (step.kind->aliases.empty()) return;
    const uint64_t forwardable = ForwardableOf(s);
    for (const StepAlias& alias : step.kind->aliases) {
      const uint32_t from = step.inputs[alias.input], to = step.outputs[alias.output];
      if (plan_.values[to].tile_bytes > 0 || is_placed_[to] || is_taken_over_[from] ||
          !MayTakeOver(plan_, step, alias, forwardable))
        continue;
      block_of_[to] = block_of_[from];
      is_placed_[to] = is_taken_over_[from] = true;
      if (!users_.empty()) users_[to] = users_[from];
    }
  }

  ArenaPlanner::Users OnlyUser(uint32_t s) const {
    return task_of_.empty() ? ArenaPlanner::Users() : ArenaPlanner::Users{task_of_[s]};
  }
  ArenaPlanner::Users UsersOf(uint32_t value) const { return users_.empty() ? ArenaPlanner::Users() : users_[value]; }
  // Steps are in task order, so the list is ascending.
  void AddUser(uint32_t value, uint32_t s) {
    if (users_.empty() || plan_.values[value].memory != PlanValue::Memory::kArena) return;
    ArenaPlanner::Users& users = users_[value];
    if (users.empty() || users.back() != task_of_[s]) users.push_back(task_of_[s]);
  }

  const Plan& plan_;
  const bool is_in_order_;
  std::vector<Arena> arenas_;               // by device
  std::vector<uint32_t> block_of_;          // by value: in the arena of its device
  std::vector<uint32_t> workspace_of_;      // by step: the same for its workspace
  size_t next_sweep_ = 0;                   // in Plan::sweeps: the one that has not ended
  uint32_t tiles_ = 0;                      // the block of its tiles
  std::vector<uint32_t> end_of_;            // by step: the last step of its sweep, or itself
  std::vector<uint32_t> ends_;              // values, by the step after which they are not used
  std::vector<uint32_t> first_end_;         // by step: where its values begin in ends_
  std::vector<bool> is_placed_;             // by value: is in an input's block
  std::vector<bool> is_taken_over_;         // by value: its block is now that of an output
  std::vector<uint32_t> task_of_;           // by step; empty if they are in order
  std::vector<ArenaPlanner::Users> users_;  // by value; the same
};

// A single thread releases a dynamic value after its last reader; several threads count its readers.
void FindReleased(Plan& plan, Step& step, std::span<const uint32_t> ends) {
  std::vector<uint32_t> released;
  const auto add = [&](uint32_t value) {
    const PlanValue& v = plan.values[value];
    if (v.memory == PlanValue::Memory::kDynamic && !v.kept) released.push_back(value);
  };
  if (plan.tasks.empty()) {
    std::ranges::for_each(ends, add);
  } else {
    ForEachRead(step, add);
    for (const uint32_t value : step.outputs) {
      if (plan.values[value].readers == 0) add(value);
    }
  }
  step.released = plan.Keep(released);
}

}  // namespace

void PlanMemory(Planning& p) {
  Plan& plan = p.plan;
  FindReaders(plan);
  for (uint32_t s = 0; s < plan.steps.size(); ++s) plan.steps[s].forwardable = ForwardableOf(plan, s, false);
  for (Sweep& sweep : plan.sweeps) PlanTiles(plan, sweep);
  MemoryPlanner memory(plan, p.task_order ? &*p.task_order : nullptr);
  memory.Run();
  for (uint32_t device = 0; device < plan.devices.size(); ++device) memory.arena(device).Improve();
  // On devices, a task is not done when its steps have returned.
  if (p.task_order && plan.devices.size() == 1) {
    for (const auto& [task, earlier] : memory.arena(kCpu).LetTasksWait(plan, p.bytes_in_order)) {
      ++plan.tasks[task].waits_for;
      plan.tasks[earlier].next.push_back(task);
    }
  }
  for (uint32_t device = 0; device < plan.devices.size(); ++device)
    plan.devices[device].arena_bytes = memory.arena(device).bytes();
  for (uint32_t s = 0; s < plan.steps.size(); ++s) {
    Step& step = plan.steps[s];
    if (step.more->workspace_bytes > 0) plan.More(step).workspace = memory.WorkspaceOf(s);
    for (const uint32_t value : step.outputs) {
      if (plan.values[value].memory == PlanValue::Memory::kArena) plan.values[value].offset = memory.OffsetOf(value);
    }
    FindReleased(plan, step, memory.EndsOf(s));
  }
}

const InOrderPlaces* Plan::InOrder() const {
  std::call_once(in_order_once_, [this] {
    if (tasks.empty() || !sweeps.empty() || devices.size() > 1) return;
    MemoryPlanner memory(*this, nullptr);
    memory.Run();
    if (memory.arena(kCpu).bytes() >= devices[kCpu].arena_bytes) return;
    InOrderPlaces places{std::vector<size_t>(values.size()), {}, {}};
    for (uint32_t value = 0; value < values.size(); ++value) {
      if (values[value].memory == PlanValue::Memory::kArena) places.values[value] = memory.OffsetOf(value);
    }
    for (uint32_t s = 0; s < steps.size(); ++s) {
      places.workspaces.push_back(memory.WorkspaceOf(s));
      places.forwardable.push_back(memory.ForwardableOf(s));
    }
    in_order_ = std::make_unique<const InOrderPlaces>(std::move(places));
  });
  return in_order_.get();
}

}  // namespace opsrun::host
