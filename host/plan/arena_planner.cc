// host/plan/arena_planner.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/arena_planner.h"

#include <algorithm>
#include <iterator>

namespace opsrun::host {
namespace {

// Looking further costs more time than it saves memory, and so does a block with many users.
constexpr int kCandidates = 64;
constexpr size_t kMostUsers = 64;

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

// At the end; a free block that touches the end is used first.
size_t ArenaPlanner::Grow(size_t bytes, uint32_t task) {
  size_t offset = end_;
  if (!free_.empty()) {
    const auto last = std::prev(free_.end());
    if (last->first + last->second.bytes == end_ && last->second.bytes < bytes && MayTake(last->second, task)) {
      offset = last->first;
      Erase(last);
    }
  }
  end_ = offset + bytes;
  return offset;
}

// Neighbours are joined if they had the same users: a joined block would have to wait for all of them.
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
