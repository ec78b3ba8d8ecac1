// host/plan/memory.h: which tasks end before others begin, and offsets in an arena for blocks that are used in step
// order. Private to this library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace opsrun::host {

// Tasks are numbered so that each comes after those it waits for.
class TaskOrder {
 public:
  // waits[t]: the tasks that t waits for.
  explicit TaskOrder(const std::vector<std::vector<uint32_t>>& waits);

  // True only if it is certain. Exact for up to kExact tasks; a table of all pairs would be too large for more. Then
  // only narrow tasks, with which all others are ordered, are considered.
  bool EndsBefore(uint32_t task, uint32_t other) const;

  static constexpr size_t kExact = 4096;

 private:
  void FillAncestors(const std::vector<std::vector<uint32_t>>& waits);
  void FindNarrows(const std::vector<std::vector<uint32_t>>& waits);

  size_t words_ = 0;                 // words per row of ancestors_; 0: not exact
  std::vector<uint64_t> ancestors_;  // a row of bits per task
  std::vector<uint32_t> stage_;      // number of narrow tasks up to and including this one
  std::vector<bool> narrow_;         // all earlier tasks end before it, and all later ones begin after it
};

// Takes the best-fitting free block. With tasks, a block can be reused only by a task that begins after all former
// users of the block have ended. Without tasks, one thread runs the steps in order, and any free block can be used.
class ArenaPlanner {
 public:
  using Users = std::vector<uint32_t>;  // tasks, ascending; empty without tasks

  explicit ArenaPlanner(const TaskOrder* order) : order_(order) {}

  // A block for an output of a step of `task`. Requires: bytes is a multiple of the alignment.
  size_t Take(size_t bytes, uint32_t task);
  // A block that was never used before.
  size_t TakeFresh(size_t bytes) { return std::exchange(end_, end_ + bytes); }
  void Give(size_t offset, size_t bytes, const Users& users);

  size_t bytes() const { return end_; }

 private:
  struct Block {
    size_t bytes = 0;
    Users users;
  };
  using Blocks = std::map<size_t, Block>;  // by offset

  bool MayTake(const Block& block, uint32_t task) const;
  size_t Grow(size_t bytes, uint32_t task);
  void Insert(size_t offset, Block block);
  Block Erase(Blocks::iterator at);

  const TaskOrder* order_;
  Blocks free_;
  std::set<std::pair<size_t, size_t>> by_size_;  // bytes, offset
  size_t end_ = 0;
};

}  // namespace opsrun::host
