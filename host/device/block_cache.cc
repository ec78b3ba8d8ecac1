// SPDX-License-Identifier: Apache-2.0
#include "host/device/block_cache.h"

#include <algorithm>
#include <utility>

namespace opsrun::host {
namespace {

constexpr uint32_t kWindow = 256;  // number of blocks taken after which a window ends

size_t WithRoom(size_t bytes) {
  return bytes + bytes / 8;
}

}  // namespace

void* BlockCache::Take(size_t bytes, size_t most, const void* wish, Stream stream) {
  bytes = std::max<size_t>(bytes, 1);
  std::vector<void*> too_small;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (void* const idle = TakeIdle(bytes, most, wish)) return idle;
    too_small = TakeOut(bytes);
  }
  FreeAll(too_small);
  void* const memory = Make(bytes, stream);
  if (memory == nullptr) return nullptr;
  const std::lock_guard<std::mutex> lock(mutex_);
  total_ += bytes;
  Count(blocks_[memory] = {bytes}, bytes);
  return memory;
}

// Waits until the memory is available, because any stream may use it from now on.
void* BlockCache::Make(size_t bytes, Stream stream) {
  void* const memory = device_.Allocate(bytes, stream);
  if (memory == nullptr || device_.Drain(stream).ok()) return memory;
  device_.Free(memory, stream);
  return nullptr;
}

void BlockCache::Count(Block& taken, size_t bytes) {
  if (++taken_ == kWindow) {
    taken_ = 0;
    most_used_before_ = std::exchange(most_used_, used_);
  }
  taken.asked = bytes;
  used_ += bytes;
  most_used_ = std::max(most_used_, used_);
}

void* BlockCache::TakeIdle(size_t bytes, size_t most, const void* wish) {
  const auto fits = [&](size_t size) { return size >= bytes && size <= std::max(bytes, most); };
  auto found = blocks_.find(const_cast<void*>(wish));
  if (found == blocks_.end() || found->second.asked != 0 || !fits(found->second.size)) {
    const auto smallest = idle_.lower_bound(bytes);
    if (smallest == idle_.end() || !fits(smallest->first)) return nullptr;
    found = blocks_.find(smallest->second);
  }
  EndIdle(found->second);
  Count(found->second, bytes);
  return found->first;
}

void BlockCache::EndIdle(Block& block) {
  ages_.erase(block.age);
  idle_.erase(block.by_size);
}

void BlockCache::Give(void* memory) {
  if (memory == nullptr) return;
  std::vector<void*> too_many;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Block& block = blocks_.at(memory);
    used_ -= std::exchange(block.asked, 0);
    block.age = ages_.insert(ages_.end(), memory);
    block.by_size = idle_.emplace(block.size, memory);
    too_many = TakeOut(0);
  }
  FreeAll(too_many);
}

void BlockCache::Disown(void* memory) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto block = blocks_.find(memory);
  total_ -= block->second.size;
  used_ -= block->second.asked;
  blocks_.erase(block);
}

// Takes out the oldest idle blocks until the others, with bytes_to_come more, are within the bound.
std::vector<void*> BlockCache::TakeOut(size_t bytes_to_come) {
  const size_t bound = WithRoom(std::max({most_used_, most_used_before_, used_ + bytes_to_come}));
  std::vector<void*> out;
  while (!ages_.empty() && total_ + bytes_to_come > bound) {
    const auto oldest = blocks_.find(ages_.front());
    total_ -= oldest->second.size;
    out.push_back(oldest->first);
    EndIdle(oldest->second);
    blocks_.erase(oldest);
  }
  return out;
}

// Call without the lock: freeing a large block may take long. Uses its own stream, because others may be in use or
// capturing.
void BlockCache::FreeAll(const std::vector<void*>& blocks) {
  if (blocks.empty()) return;
  const OwnStream own(device_);
  for (void* const block : blocks) device_.Free(block, own.stream);
  if (own.stream != kNoStream) (void)device_.Drain(own.stream);
}

bool BlockCache::Trim() {
  std::vector<void*> all;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    all.assign(ages_.begin(), ages_.end());
    for (void* const memory : all) total_ -= blocks_.at(memory).size;
    for (void* const memory : all) blocks_.erase(memory);
    ages_.clear();
    idle_.clear();
    most_used_ = used_;
    most_used_before_ = 0;
  }
  FreeAll(all);
  return !all.empty();
}

size_t BlockCache::idle_bytes() {
  const std::lock_guard<std::mutex> lock(mutex_);
  size_t bytes = 0;
  for (const auto& [size, memory] : idle_) bytes += size;
  return bytes;
}

}  // namespace opsrun::host
