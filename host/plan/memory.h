// host/plan/memory.h: offsets in an arena for blocks that are allocated and freed in step order. Private to this
// library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "host/plan/tasks.h"

namespace opsrun::host {

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
