// host/plan/memory.cc: last readers, forwarding, and the location of each value in the arena.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
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

// With tasks, only a sole reader is known to be the last one.
bool MayForward(const Plan& plan, const Step& step, uint32_t s, size_t input) {
  const uint32_t value = step.inputs[input];
  const PlanValue& v = plan.values[value];
  return input < 64 && v.producer != PlanValue::kNone && !v.kept && v.last_reader == s &&
         (plan.tasks.empty() || v.readers == 1) && std::ranges::count(step.inputs, value) == 1;
}

void FindForwardable(Plan& plan) {
  for (uint32_t s = 0; s < plan.steps.size(); ++s) {
    Step& step = plan.steps[s];
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      if (MayForward(plan, step, s, i)) step.forwardable |= uint64_t{1} << i;
    }
  }
}

class MemoryPlanner {
 public:
  explicit MemoryPlanner(Planning& p)
      : plan_(p.plan),
        order_(p.task_order ? &*p.task_order : nullptr),
        arenas_(plan_.devices.size(), ArenaPlanner(order_)),
        layouts_(plan_.devices.size()),
        block_of_(plan_.values.size()),
        workspace_of_(plan_.steps.size()),
        first_end_(plan_.steps.size() + 1),
        is_placed_(plan_.values.size()),
        is_taken_over_(plan_.values.size()) {
    for (uint32_t s = 0; s < plan_.steps.size(); ++s) end_of_.push_back(s);
    for (const Sweep& sweep : plan_.sweeps)
      std::fill_n(end_of_.begin() + sweep.first, sweep.count, sweep.first + sweep.count - 1);
    for (uint32_t t = 0; t < plan_.tasks.size(); ++t) task_of_.insert(task_of_.end(), plan_.tasks[t].count, t);
    if (plan_.tasks.empty()) return;
    users_.resize(plan_.values.size());
  }

  void Run() {
    FindEnds();
    for (uint32_t s = 0; s < plan_.steps.size(); ++s) PlanStep(s);
    for (uint32_t device = 0; device < arenas_.size(); ++device) {
      size_t& bytes = plan_.devices[device].arena_bytes = arenas_[device].bytes();
      const std::optional<size_t> least = layouts_[device].LowerBound();
      if (!least || bytes <= *least || !layouts_[device].Improve(bytes, order_)) continue;
      bytes = layouts_[device].bytes();
      MoveTo(layouts_[device], device);
    }
    LetTasksWait();
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
  std::span<const uint32_t> EndsOf(uint32_t s) const {
    return std::span(ends_).subspan(first_end_[s], first_end_[s + 1] - first_end_[s]);
  }

  void PlanStep(uint32_t s) {
    Step& step = plan_.steps[s];
    if (next_sweep_ < plan_.sweeps.size() && plan_.sweeps[next_sweep_].first == s) PlanTiles(plan_.sweeps[next_sweep_]);
    ForEachRead(step, [&](uint32_t value) { AddUser(value, s); });
    TakeOver(step);
    for (const uint32_t value : step.outputs) {
      PlanValue& v = plan_.values[value];
      if (v.memory == PlanValue::Memory::kArena && !is_placed_[value]) v.offset = Place(step, s, value);
      AddUser(value, s);
    }
    if (step.workspace_bytes > 0) PlaceWorkspace(step, s);
    for (const uint32_t value : EndsOf(s)) {
      const PlanValue& v = plan_.values[value];
      if (v.memory != PlanValue::Memory::kArena || is_taken_over_[value] || v.tile_bytes > 0) continue;
      arenas_[v.device].Give(v.offset, plan_.ArenaBytes(v), UsersOf(value));
      layouts_[v.device].End(block_of_[value], s, UsersOf(value));
    }
    FindReleased(step, s);
    if (next_sweep_ < plan_.sweeps.size() && end_of_[s] == s && s >= plan_.sweeps[next_sweep_].first) EndTiles(s);
  }

  // Values that are made and read within the sweep have memory for a tile on each thread, in one block of the arena.
  void PlanTiles(Sweep& sweep) {
    const uint32_t end = sweep.first + sweep.count;
    ArenaPlanner tiles(nullptr);
    std::vector<uint32_t> planned;
    auto part = sweep.parts.begin();
    for (uint32_t s = sweep.first; s < end; ++s) {
      const Step& step = plan_.steps[s];
      part += static_cast<ptrdiff_t>(step.inputs.size());
      const uint32_t to = step.outputs[0];
      PlanValue& out = plan_.values[to];
      if (!out.kept && LastUse(out) < end) {
        planned.push_back(to);
        out.tile_bytes = plan_.ArenaBytes(
            kCpu, static_cast<size_t>(sweep.rows_per_tile * *NumElements(part->shape)) * DTypeSize(out.dtype));
        TakeOver(step);
        if (!is_placed_[to]) out.offset = tiles.Take(out.tile_bytes, 0);
        is_placed_[to] = true;
      }
      ++part;
      const auto give = [&](uint32_t value) {
        const PlanValue& v = plan_.values[value];
        if (v.tile_bytes > 0 && LastUse(v) == s && !is_taken_over_[value]) tiles.Give(v.offset, v.tile_bytes, {});
      };
      ForEachRead(step, give);
      give(to);
    }
    sweep.bytes_per_thread = tiles.bytes();
    const size_t bytes = sweep.bytes_per_thread * static_cast<size_t>(plan_.threads);
    tiles_ = bytes == 0 ? 0 : arenas_[kCpu].Take(bytes, TaskOf(sweep.first));
    const uint32_t block = bytes == 0 ? 0 : layouts_[kCpu].Begin(bytes, sweep.first, TaskOf(sweep.first));
    for (const uint32_t value : planned) {
      plan_.values[value].offset += tiles_;
      block_of_[value] = block;
    }
    if (bytes > 0) tiles_at_[block] = tiles_;
    tiles_block_ = block;
  }
  void EndTiles(uint32_t s) {
    const size_t bytes = plan_.sweeps[next_sweep_++].bytes_per_thread * static_cast<size_t>(plan_.threads);
    if (bytes == 0) return;
    arenas_[kCpu].Give(tiles_, bytes, OnlyUser(s));
    layouts_[kCpu].End(tiles_block_, s, OnlyUser(s));
  }

  // A copy to a device is not ordered after earlier uses of memory there, so it gets memory that was never used.
  size_t Place(const Step& step, uint32_t s, uint32_t value) {
    const PlanValue& v = plan_.values[value];
    ArenaPlanner& arena = arenas_[v.device];
    const size_t bytes = plan_.ArenaBytes(v);
    block_of_[value] = layouts_[v.device].Begin(bytes, s, TaskOf(s), step.copy == Step::Copy::kIn);
    return step.copy == Step::Copy::kIn ? arena.TakeFresh(bytes) : arena.Take(bytes, TaskOf(s));
  }

  // Beside all that the step reads and writes, and free after it.
  void PlaceWorkspace(Step& step, uint32_t s) {
    const size_t bytes = plan_.ArenaBytes(step.device, step.workspace_bytes);
    step.workspace = arenas_[step.device].Take(bytes, TaskOf(s));
    arenas_[step.device].Give(step.workspace, bytes, OnlyUser(s));
    workspace_of_[s] = layouts_[step.device].Begin(bytes, s, TaskOf(s));
    layouts_[step.device].End(workspace_of_[s], s, OnlyUser(s));
  }

  // If the kernel allows it, an output takes over the block of an input that ends here.
  void TakeOver(const Step& step) {
    for (const StepAlias& alias : step.kind->aliases) {
      const uint32_t from = step.inputs[alias.input], to = step.outputs[alias.output];
      const PlanValue& in = plan_.values[from];
      PlanValue& out = plan_.values[to];
      const bool both_planned = in.memory == PlanValue::Memory::kArena && out.memory == PlanValue::Memory::kArena &&
                                in.dtype == out.dtype && in.device == out.device && in.tile_bytes == out.tile_bytes;
      if (!both_planned || is_placed_[to] || is_taken_over_[from]) continue;
      if (alias.input >= 64 || (step.forwardable >> alias.input & 1) == 0) continue;
      const bool same_shape = in.sizes == out.sizes || in.shape() == out.shape();
      if (!same_shape && (alias.same_shape || *NumElements(in.shape()) != *NumElements(out.shape()))) continue;
      out.offset = in.offset;
      block_of_[to] = block_of_[from];
      is_placed_[to] = is_taken_over_[from] = true;
      if (!users_.empty()) users_[to] = users_[from];
    }
  }

  // If tasks that may run in any order need more than twice the memory of one thread, a task takes the memory of those
  // that probably end before it, and waits for them. Small tasks are too short for that. On devices, a task is not done
  // when its steps have returned.
  void LetTasksWait() {
    constexpr size_t kWorth = size_t{64} << 10, kOfTask = size_t{32} << 10;
    size_t& bytes = plan_.devices[kCpu].arena_bytes;
    const std::optional<size_t> least = layouts_[kCpu].LowerBound();
    if (order_ == nullptr || plan_.devices.size() > 1 || !least || bytes <= 2 * *least + kWorth) return;
    if (layouts_[kCpu].AllBytes() < kOfTask * plan_.tasks.size()) return;
    const auto window = static_cast<uint32_t>(plan_.threads);
    if (!layouts_[kCpu].Improve(bytes - bytes / 8, order_, window, plan_.tasks)) return;
    bytes = layouts_[kCpu].bytes();
    MoveTo(layouts_[kCpu], kCpu);
    for (const auto& [task, earlier] : layouts_[kCpu].NewWaits()) {
      ++plan_.tasks[task].waits_for;
      plan_.tasks[earlier].next.push_back(task);
    }
  }

  // Offsets within the tiles of a sweep stay the same.
  void MoveTo(const ArenaLayout& layout, uint32_t device) {
    for (size_t value = 0; value < plan_.values.size(); ++value) {
      PlanValue& v = plan_.values[value];
      if (v.device != device || v.memory != PlanValue::Memory::kArena) continue;
      const size_t in_block = v.tile_bytes > 0 ? v.offset - tiles_at_[block_of_[value]] : 0;
      v.offset = layout.OffsetOf(block_of_[value]) + in_block;
    }
    if (device == kCpu) {
      for (auto& [block, offset] : tiles_at_) offset = layout.OffsetOf(block);
    }
    for (uint32_t s = 0; s < plan_.steps.size(); ++s) {
      Step& step = plan_.steps[s];
      if (step.device == device && step.workspace_bytes > 0) step.workspace = layout.OffsetOf(workspace_of_[s]);
    }
  }

  // A single thread releases a dynamic value after its last reader; several threads count its readers.
  void FindReleased(Step& step, uint32_t s) {
    std::vector<uint32_t> released;
    const auto add = [&](uint32_t value) {
      const PlanValue& v = plan_.values[value];
      if (v.memory == PlanValue::Memory::kDynamic && !v.kept) released.push_back(value);
    };
    if (plan_.tasks.empty()) {
      std::ranges::for_each(EndsOf(s), add);
    } else {
      ForEachRead(step, add);
      for (const uint32_t value : step.outputs) {
        if (plan_.values[value].readers == 0) add(value);
      }
    }
    step.released = plan_.Keep(released);
  }

  uint32_t TaskOf(uint32_t s) const { return task_of_.empty() ? 0 : task_of_[s]; }
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

  Plan& plan_;
  const TaskOrder* order_;                  // null without tasks
  std::vector<ArenaPlanner> arenas_;        // by device
  std::vector<ArenaLayout> layouts_;        // by device
  std::vector<uint32_t> block_of_;          // by value: in the layout of its device
  std::vector<uint32_t> workspace_of_;      // by step: the same for its workspace
  size_t next_sweep_ = 0;                   // in Plan::sweeps: the one that has not ended
  size_t tiles_ = 0;                        // offset of its tiles
  uint32_t tiles_block_ = 0;                // the block of its tiles
  std::map<uint32_t, size_t> tiles_at_;     // of each sweep: the block of its tiles, and its offset
  std::vector<uint32_t> end_of_;            // by step: the last step of its sweep, or itself
  std::vector<uint32_t> ends_;              // values, by the step after which they are not used
  std::vector<uint32_t> first_end_;         // by step: where its values begin in ends_
  std::vector<bool> is_placed_;             // by value: is in an input's block
  std::vector<bool> is_taken_over_;         // by value: its block is now that of an output
  std::vector<uint32_t> task_of_;           // by step; empty without tasks
  std::vector<ArenaPlanner::Users> users_;  // by value; empty without tasks
};

}  // namespace

void PlanMemory(Planning& p) {
  FindReaders(p.plan);
  FindForwardable(p.plan);
  MemoryPlanner(p).Run();
}

}  // namespace opsrun::host
