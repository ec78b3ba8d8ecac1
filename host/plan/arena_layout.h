// host/plan/arena_layout.h: offsets in an arena for blocks whose uses are all known.
//
// ArenaPlanner decides about a block when it is made, and what it leaves free may fit nothing that comes later. Here,
// large blocks go first, and each gets the smallest gap between those that may exist at the same time. Private to this
// library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "host/plan/planning.h"

namespace opsrun::host {

class ArenaLayout {
 public:
  static constexpr uint32_t kNever = ~uint32_t{0};
  // For more of them it would take longer than the rest of planning. With tasks, all pairs are compared.
  static constexpr size_t kMostBlocks = 4096, kMostPaired = 2048;

  // A block that an output, or a workspace, of a step of `task` uses first; its number. Until End, it is never free.
  // fresh: in memory that no earlier block had. Does nothing beyond kMostBlocks.
  uint32_t Begin(size_t bytes, uint32_t step, uint32_t task, bool fresh = false);
  // The last step that uses the block, and the tasks that do.
  void End(uint32_t block, uint32_t step, const ArenaPlanner::Users& users);

  // The most bytes that exist at one step, if the steps run in order. Nothing if there are too many blocks.
  std::optional<size_t> LowerBound() const;
  // The same if tasks take only the memory of those whose number is lower by `window` or more. Requires: LowerBound().
  size_t LeastOf(std::span<const Task> tasks, uint64_t window);
  // The sum of all blocks. Requires: LowerBound().
  size_t AllBytes() const;
  // Tries to need less than `bytes`; order: of the tasks, null without tasks. False if that fails: all is as before.
  // tasks: if there are any, a task may also take the memory of tasks whose number is lower by `window` or more, and
  // NewWaits must be obeyed. Requires: LowerBound().
  bool Improve(size_t bytes, const TaskOrder* order, uint64_t window = kNever, std::span<const Task> tasks = {});

  // After Improve.
  size_t OffsetOf(uint32_t block) const { return offsets_[block]; }
  size_t bytes() const { return bytes_; }
  // Pairs of a task and another that it has to wait for, besides those that `order` knows.
  std::vector<std::pair<uint32_t, uint32_t>> NewWaits() const;

 private:
  class Skyline;
  struct Block {
    size_t bytes = 0;
    uint32_t first = 0, last = kNever;  // steps
    uint32_t task = 0;
    bool fresh = false;
    ArenaPlanner::Users users;
  };
  struct Placed {
    size_t begin = 0, end = 0;  // offsets
    uint32_t first = 0, last = 0, block = 0;
  };

  uint32_t EndOf(const Block& block) const;
  bool IsFreeFor(const Block& earlier, const Block& later) const;
  size_t FindGap(const Block& block) const;
  std::vector<uint32_t> Ends() const;
  // The most bytes that exist at one step. ends: the last step of each block.
  size_t MostAtOnce(const std::vector<uint32_t>& ends) const;
  void Place(const std::vector<uint32_t>& order);
  void PlaceInSequence();
  // Stops when so many bytes are enough.
  void PlaceInTasks(size_t enough);

  std::vector<Block> blocks_;
  size_t count_ = 0;
  const TaskOrder* order_ = nullptr;
  uint64_t window_ = kNever;
  std::span<const Task> tasks_;
  std::vector<Placed> placed_;  // by offset
  size_t bytes_ = 0;
  std::vector<size_t> offsets_;  // by block
};

}  // namespace opsrun::host
