// host/plan/memory.cc: who reads a value last, what may be forwarded, and where in the arena each value lies.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "host/plan/planning.h"

namespace opsrun::host {
namespace {

constexpr size_t kAlignment = 64;

size_t RoundedUp(size_t bytes) {
  return std::max(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
}

// Offsets for blocks that come and go in step order: best fit among the free ones, neighbours joined.
class ArenaPlanner {
 public:
  size_t Take(size_t bytes) {
    auto fit = by_size_.lower_bound({bytes, 0});
    if (fit == by_size_.end()) return Grow(bytes);
    const auto [size, offset] = *fit;
    Erase(by_offset_.find(offset));
    if (size > bytes) Insert(offset + bytes, size - bytes);
    return offset;
  }

  void Give(size_t offset, size_t bytes) {
    auto next = by_offset_.lower_bound(offset);
    if (next != by_offset_.end() && offset + bytes == next->first) {
      bytes += next->second;
      Erase(next);
    }
    auto previous = by_offset_.lower_bound(offset);
    if (previous != by_offset_.begin() && std::prev(previous)->first + std::prev(previous)->second == offset) {
      --previous;
      offset = previous->first;
      bytes += previous->second;
      Erase(previous);
    }
    Insert(offset, bytes);
  }

  size_t bytes() const { return end_; }

 private:
  // At the end; a free block that touches the end is used first.
  size_t Grow(size_t bytes) {
    size_t offset = end_;
    if (!by_offset_.empty()) {
      auto last = std::prev(by_offset_.end());
      if (last->first + last->second == end_) {
        offset = last->first;
        Erase(last);
      }
    }
    end_ = offset + bytes;
    return offset;
  }

  void Insert(size_t offset, size_t bytes) {
    by_offset_[offset] = bytes;
    by_size_.insert({bytes, offset});
  }
  void Erase(std::map<size_t, size_t>::iterator block) {
    by_size_.erase({block->second, block->first});
    by_offset_.erase(block);
  }

  std::map<size_t, size_t> by_offset_;
  std::set<std::pair<size_t, size_t>> by_size_;
  size_t end_ = 0;
};

void FindLastReaders(Plan& plan) {
  for (uint32_t s = 0; s < plan.steps.size(); ++s) {
    for (uint32_t value : plan.steps[s].inputs) plan.values[value].last_reader = s;
  }
}

// The step after which nobody needs the value: its last reader, or its producer if nobody reads it.
uint32_t LastUse(const PlanValue& value) {
  return value.last_reader != PlanValue::kNone ? value.last_reader : value.producer;
}

bool MayForward(const Plan& plan, const Step& step, uint32_t s, size_t input) {
  const uint32_t value = step.inputs[input];
  const PlanValue& v = plan.values[value];
  return input < 64 && v.producer != PlanValue::kNone && !v.result && v.last_reader == s &&
         std::count(step.inputs.begin(), step.inputs.end(), value) == 1;
}

void PlanStep(Plan& plan, uint32_t s, const std::vector<uint32_t>& ends_here, ArenaPlanner& arena) {
  Step& step = plan.steps[s];
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    if (MayForward(plan, step, s, i)) step.forwardable |= uint64_t{1} << i;
  }
  for (uint32_t value : step.outputs) {
    PlanValue& v = plan.values[value];
    if (v.memory == PlanValue::Memory::kArena)
      v.offset = arena.Take(RoundedUp(*NumElements(v.shape) * DTypeSize(v.dtype)));
  }
  for (uint32_t value : ends_here) {
    const PlanValue& v = plan.values[value];
    if (v.memory == PlanValue::Memory::kDynamic) step.released.push_back(value);
    if (v.memory == PlanValue::Memory::kArena)
      arena.Give(v.offset, RoundedUp(*NumElements(v.shape) * DTypeSize(v.dtype)));
  }
}

}  // namespace

void PlanMemory(Planning& p) {
  Plan& plan = p.plan;
  FindLastReaders(plan);
  std::vector<std::vector<uint32_t>> ends(plan.steps.size());
  for (uint32_t value = 0; value < plan.values.size(); ++value) {
    const PlanValue& v = plan.values[value];
    if (v.producer != PlanValue::kNone && !v.result) ends[LastUse(v)].push_back(value);
  }
  ArenaPlanner arena;
  for (uint32_t s = 0; s < plan.steps.size(); ++s) PlanStep(plan, s, ends[s], arena);
  plan.arena_bytes = arena.bytes();
}

}  // namespace opsrun::host
