// SPDX-License-Identifier: Apache-2.0
#include "host/plan/arena_layout.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

namespace opsrun::host {

uint32_t ArenaLayout::Begin(size_t bytes, uint32_t step, uint32_t task, bool fresh) {
  if (++count_ <= kMostBlocks) blocks_.push_back({bytes, step, kNever, task, fresh, {}});
  return static_cast<uint32_t>(count_ - 1);
}

void ArenaLayout::End(uint32_t block, uint32_t step, const ArenaPlanner::Users& users) {
  if (block >= blocks_.size() || users.size() > ArenaPlanner::kMostUsers) return;
  blocks_[block].last = step;
  blocks_[block].users = users;
}

size_t ArenaLayout::MostAtOnce(const std::vector<uint32_t>& ends) const {
  std::vector<std::pair<uint64_t, int64_t>> changes;  // 2 * step, and 1 more after it; bytes
  for (size_t i = 0; i < blocks_.size(); ++i) {
    changes.emplace_back(uint64_t{2} * blocks_[i].first, static_cast<int64_t>(blocks_[i].bytes));
    changes.emplace_back(uint64_t{2} * ends[i] + 1, -static_cast<int64_t>(blocks_[i].bytes));
  }
  std::ranges::sort(changes);
  int64_t now = 0, most = 0;
  for (const auto& [at, bytes] : changes) most = std::max(most, now += bytes);
  return static_cast<size_t>(most);
}

std::optional<size_t> ArenaLayout::LowerBound() const {
  if (count_ > kMostBlocks) return std::nullopt;
  std::vector<uint32_t> ends;
  for (const Block& block : blocks_) ends.push_back(block.last);
  return MostAtOnce(ends);
}

// For one thread, blocks are rectangles: steps by bytes. Each is put on the lowest part of the skyline of those below;
// of the blocks that fit there, the one with the largest key is first: one that is long and large, and that leaves no
// narrow part beside it (after Sekiyama and others 2018, who take the longest). Where none fits, the part is raised to
// its lower neighbor.
class ArenaLayout::Skyline {
 public:
  // ends: the last step of each block.
  Skyline(const std::vector<Block>& blocks, const std::vector<uint32_t>& ends)
      : blocks_(blocks), ends_(ends), offsets_(blocks.size()), boosts_(blocks.size()), keys_(blocks.size()) {
    by_first_.resize(blocks.size());
    std::iota(by_first_.begin(), by_first_.end(), 0);
    std::ranges::stable_sort(by_first_, {}, [&](uint32_t block) { return FirstOf(block); });
  }

  // The bytes that all blocks need. weight: what a block's steps count, compared with its bytes.
  size_t Place(double weight) {
    for (uint32_t block = 0; block < blocks_.size(); ++block) {
      const double steps = static_cast<double>(LastOf(block) - FirstOf(block)) + 1;
      const double bytes = static_cast<double>(blocks_[block].bytes) + 1;
      keys_[block] = weight * std::log(steps) + std::log(bytes) + boosts_[block];
    }
    parts_ = {{0, 0, kNever}};
    left_ = by_first_;
    size_t bytes = 0;
    while (!left_.empty()) {
      const auto lowest = std::ranges::min_element(parts_, {}, &Part::height);
      const auto block = FindBlock(*lowest);
      if (block == left_.end()) {
        Raise(lowest);
        continue;
      }
      bytes = std::max(bytes, lowest->height + blocks_[*block].bytes);
      Put(*block, lowest);
      left_.erase(block);
    }
    return bytes;
  }
  // From now on, the blocks that reach above `height` have larger keys: they should have been put earlier.
  void Boost(size_t height) {
    for (uint32_t block = 0; block < blocks_.size(); ++block) {
      if (offsets_[block] + blocks_[block].bytes > height) boosts_[block] += 1;
    }
  }
  const std::vector<size_t>& offsets() const { return offsets_; }

 private:
  // Steps that have the same height.
  struct Part {
    size_t height = 0;
    uint32_t first = 0, last = 0;
  };
  using Parts = std::vector<Part>;

  uint32_t FirstOf(uint32_t block) const { return blocks_[block].fresh ? 0 : blocks_[block].first; }
  uint32_t LastOf(uint32_t block) const { return ends_[block]; }

  std::vector<uint32_t>::iterator FindBlock(const Part& part) {
    auto best = left_.end();
    double most = -1;
    auto at = std::ranges::lower_bound(left_, part.first, {}, [&](uint32_t block) { return FirstOf(block); });
    for (; at != left_.end() && FirstOf(*at) <= part.last; ++at) {
      if (LastOf(*at) > part.last) continue;
      const int edges = (FirstOf(*at) == part.first ? 1 : 0) + (LastOf(*at) == part.last ? 1 : 0);
      const double key = edges + keys_[*at];
      if (key <= most) continue;
      most = key;
      best = at;
    }
    return best;
  }

  void Raise(Parts::iterator part) {
    size_t height = ~size_t{0};
    if (part != parts_.begin()) height = std::prev(part)->height;
    if (std::next(part) != parts_.end()) height = std::min(height, std::next(part)->height);
    part->height = height;
    if (std::next(part) != parts_.end() && std::next(part)->height == height) {
      part->last = std::next(part)->last;
      parts_.erase(std::next(part));
    }
    if (part == parts_.begin() || std::prev(part)->height != height) return;
    std::prev(part)->last = part->last;
    parts_.erase(part);
  }

  void Put(uint32_t block, Parts::iterator on) {
    const Part below = *on;
    offsets_[block] = below.height;
    *on = {below.height + blocks_[block].bytes, FirstOf(block), LastOf(block)};
    if (on->last < below.last)
      on = std::prev(parts_.insert(std::next(on), {below.height, LastOf(block) + 1, below.last}));
    if (on->first > below.first) parts_.insert(on, {below.height, below.first, FirstOf(block) - 1});
  }

  const std::vector<Block>& blocks_;
  const std::vector<uint32_t>& ends_;
  std::vector<uint32_t> by_first_, left_;
  Parts parts_;
  std::vector<size_t> offsets_;        // by block
  std::vector<double> boosts_, keys_;  // the same
};

size_t ArenaLayout::AllBytes() const {
  size_t bytes = 0;
  for (const Block& block : blocks_) bytes += block.bytes;
  return bytes;
}

// The last step that the block must not be reused at, whatever the task.
uint32_t ArenaLayout::EndOf(const Block& block) const {
  if (tasks_.empty() || block.users.empty()) return block.last;
  const uint64_t next = block.users.back() + window_;
  return next < tasks_.size() ? std::max(block.last, tasks_[next].first - 1) : kNever;
}

std::vector<uint32_t> ArenaLayout::Ends() const {
  std::vector<uint32_t> ends;
  for (const Block& block : blocks_) ends.push_back(EndOf(block));
  return ends;
}

size_t ArenaLayout::LeastOf(std::span<const Task> tasks, uint64_t window) {
  tasks_ = tasks;
  window_ = window;
  return MostAtOnce(Ends());
}

// Requires: the steps of `earlier` come first.
bool ArenaLayout::IsFreeFor(const Block& earlier, const Block& later) const {
  return !later.fresh && std::ranges::all_of(earlier.users, [&](uint32_t user) {
    return user == later.task || order_->EndsBefore(user, later.task) || user + window_ <= later.task;
  });
}

// The start of the smallest gap that fits, between placed blocks which may exist at the same time.
size_t ArenaLayout::FindGap(const Block& block) const {
  size_t end = 0, best = 0, smallest = ~size_t{0};
  for (const Placed& other : placed_) {
    if (other.end <= end) continue;
    if (other.last < block.first ? IsFreeFor(blocks_[other.block], block)
                                 : block.last < other.first && IsFreeFor(block, blocks_[other.block]))
      continue;
    if (other.begin >= end + block.bytes && other.begin - end < smallest) {
      smallest = other.begin - end;
      best = end;
    }
    end = other.end;
  }
  return smallest == ~size_t{0} ? end : best;
}

// Keeps the result if it is the best so far.
void ArenaLayout::Place(const std::vector<uint32_t>& order) {
  placed_.clear();
  size_t most = 0;
  for (const uint32_t i : order) {
    const Block& block = blocks_[i];
    const size_t begin = FindGap(block), end = begin + block.bytes;
    most = std::max(most, end);
    if (most >= bytes_) return;
    placed_.insert(std::ranges::upper_bound(placed_, begin, {}, &Placed::begin),
                   {begin, end, block.first, block.last, i});
  }
  bytes_ = most;
  for (const Placed& each : placed_) offsets_[each.block] = each.begin;
}

// After a few weights, blocks that were put too high are put earlier, again and again, if that may save something.
void ArenaLayout::PlaceInSequence() {
  constexpr size_t kMostWork = size_t{48} << 10, kWorth = size_t{32} << 10;
  const std::vector<uint32_t> ends = Ends();
  Skyline skyline(blocks_, ends);
  const size_t least = MostAtOnce(ends);
  const auto is_enough = [&](double weight, size_t more) {
    const size_t bytes = skyline.Place(weight);
    if (bytes < bytes_) {
      bytes_ = bytes;
      offsets_ = skyline.offsets();
    }
    return bytes_ <= least + more;
  };
  for (const double weight : {16.0, 4.0, 2.0, 1.0, 0.5}) {
    if (is_enough(weight, least / 64)) return;
  }
  for (size_t tries = kMostWork / blocks_.size(); tries > 0; --tries) {
    if (is_enough(tries % 2 == 0 ? 4 : 1, std::max(least / 40, kWorth))) return;
    skyline.Boost(least);
  }
}

void ArenaLayout::PlaceInTasks(size_t enough) {
  std::vector<uint32_t> by_key(blocks_.size());
  std::iota(by_key.begin(), by_key.end(), 0);
  const auto by = [&](auto key) {
    if (bytes_ <= enough) return;
    std::ranges::stable_sort(by_key, std::greater<>(), [&](uint32_t block) { return key(blocks_[block]); });
    Place(by_key);
  };
  by([](const Block& block) { return block.bytes; });
  by([](const Block& block) {
    return static_cast<double>(block.bytes) * (static_cast<double>(block.last - block.first) + 1);
  });
}

bool ArenaLayout::Improve(size_t bytes, const TaskOrder* order, uint64_t window, std::span<const Task> tasks) {
  const size_t least = *LowerBound(), enough = least + least / 64, before = std::exchange(bytes_, bytes);
  order_ = order;
  window_ = window;
  offsets_.resize(blocks_.size());
  tasks_ = tasks;
  if (order == nullptr || !tasks.empty()) PlaceInSequence();
  if (order != nullptr && bytes_ > least + least / 16 && blocks_.size() <= kMostPaired) PlaceInTasks(enough);
  if (bytes_ < bytes) return true;
  bytes_ = before;
  return false;
}

// Goes through the blocks in the order of their steps and keeps the present user of each part of the arena. It has
// waited for the users before it, so a block waits only for the present ones.
std::vector<std::pair<uint32_t, uint32_t>> ArenaLayout::NewWaits() const {
  std::vector<uint32_t> in_order(blocks_.size());
  std::iota(in_order.begin(), in_order.end(), 0);
  std::ranges::stable_sort(in_order, {}, [&](uint32_t block) { return blocks_[block].first; });
  std::vector<std::pair<uint32_t, uint32_t>> waits;
  std::map<size_t, uint32_t> users;  // offset of the start of a part; its block
  for (const uint32_t i : in_order) {
    const Block& block = blocks_[i];
    if (block.bytes == 0) continue;
    const size_t begin = offsets_[i], end = begin + block.bytes;
    auto at = users.upper_bound(begin);
    if (at != users.begin()) --at;
    std::optional<uint32_t> behind;  // what uses the arena from `end` on
    while (at != users.end() && at->first < end) {
      const uint32_t other = at->second;
      const bool reaches = offsets_[other] + blocks_[other].bytes > begin;
      if (offsets_[other] + blocks_[other].bytes > end) behind = other;
      for (const uint32_t user : blocks_[other].users) {
        if (reaches && user != block.task && !order_->EndsBefore(user, block.task))
          waits.emplace_back(block.task, user);
      }
      at = at->first >= begin ? users.erase(at) : std::next(at);
    }
    users[begin] = i;
    if (behind) users.emplace(end, *behind);
  }
  std::ranges::sort(waits);
  waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
  return waits;
}

}  // namespace opsrun::host
