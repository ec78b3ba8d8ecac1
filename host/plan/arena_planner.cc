// host/plan/arena_planner.cc: gives each block a place when it is made.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "host/plan/planning.h"

namespace opsrun::host {

namespace {

// Searching longer costs more time than it saves memory.
constexpr int kCandidates = 64;

}  // namespace

bool ArenaPlanner::MayTake(const Block& block, uint32_t task) const {
  return std::all_of(block.users.begin(), block.users.end(),
                     [&](uint32_t user) { return user == task || order_->EndsBefore(user, task); });
}

size_t ArenaPlanner::Take(size_t bytes, uint32_t task) {
  int candidates = 0;
  for (auto fit = by_size_.lower_bound({bytes, 0}); fit != by_size_.end() && candidates < kCandidates;
       ++fit, ++candidates) {
    const size_t offset = fit->second;
    const auto at = free_.find(offset);
    if (!MayTake(at->second, task)) continue;
    Block rest = Erase(at);
    rest.bytes -= bytes;
    if (rest.bytes > 0) Insert(offset + bytes, std::move(rest));
    return offset;
  }
  return Grow(bytes, task);
}

// At the end of the arena, starting with the free block there, if any.
size_t ArenaPlanner::Grow(size_t bytes, uint32_t task) {
  size_t offset = end_;
  if (!free_.empty()) {
    const auto last = std::prev(free_.end());
    if (last->first + last->second.bytes == end_ && last->second.bytes < bytes && MayTake(last->second, task)) {
      offset = last->first;
      Erase(last);
    }
  }
  constexpr size_t kMostEnd =
      size_t{1} << 62;  // of an arena that cannot be allocated; one value has at most 2^47 bytes
  end_ = std::min(offset + bytes, kMostEnd);
  return offset;
}

// Merges neighbors only if they had the same users, because a merged block must wait for all of them.
void ArenaPlanner::Give(size_t offset, size_t bytes, const Users& users) {
  if (users.size() > kMostUsers) return;
  Block block{bytes, users};
  const auto next = free_.lower_bound(offset);
  if (next != free_.end() && offset + bytes == next->first && next->second.users == users) {
    block.bytes += Erase(next).bytes;
  }
  const auto after = free_.lower_bound(offset);
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second.bytes == offset && before->second.users == users) {
      offset = before->first;
      block.bytes += Erase(before).bytes;
    }
  }
  Insert(offset, std::move(block));
}

void ArenaPlanner::Insert(size_t offset, Block block) {
  by_size_.insert({block.bytes, offset});
  free_.emplace(offset, std::move(block));
}

ArenaPlanner::Block ArenaPlanner::Erase(Blocks::iterator at) {
  by_size_.erase({at->second.bytes, at->first});
  Block block = std::move(at->second);
  free_.erase(at);
  return block;
}

}  // namespace opsrun::host
