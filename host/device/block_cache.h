// host/device/block_cache.h: large blocks of a device's memory that go from one run to the next.
//
// An idle lane keeps no large memory. It gives its blocks back to the cache of their device, and the next run takes
// them from there, whichever plan it runs. So idle blocks are shared by all plans, and the same call again finds the
// same block.
//
// The bound: blocks in use and idle ones together are at most an eighth more than what was asked for at the same time,
// at its most since 256 to 512 blocks were taken. When a larger block is needed, idle ones that are too small go first.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "host/device/device.h"

namespace opsrun::host {

// Any thread. The device must outlive it, and every block must have come back or be disowned when it ends.
class BlockCache {
 public:
  explicit BlockCache(Device& device) : device_(device) {}
  BlockCache(const BlockCache&) = delete;
  ~BlockCache() { Trim(); }

  // See Device::TakeBlock.
  void* Take(size_t bytes, size_t most, const void* wish, Stream stream);
  void Give(void* memory);
  void Disown(void* memory);
  // Frees all idle blocks; false if there are none.
  bool Trim();

  // Bytes of idle blocks.
  size_t idle_bytes();

 private:
  using Sizes = std::multimap<size_t, void*>;
  struct Block {
    size_t size = 0;
    size_t asked = 0;                  // of that, by who has it; 0: it is idle
    std::list<void*>::iterator age{};  // the others: of an idle block
    Sizes::iterator by_size{};
  };

  void* TakeIdle(size_t bytes, size_t most, const void* wish);
  void* Make(size_t bytes, Stream stream);
  void Count(Block& taken, size_t bytes);
  void EndIdle(Block& block);
  std::vector<void*> TakeOut(size_t bytes_to_come);
  void FreeAll(const std::vector<void*>& blocks);

  Device& device_;
  std::mutex mutex_;  // guards what follows
  std::unordered_map<void*, Block> blocks_;
  Sizes idle_;
  std::list<void*> ages_;                        // of idle blocks: the one that was given back first comes first
  size_t total_ = 0;                             // sizes of all blocks
  size_t used_ = 0;                              // what was asked for of those in use
  size_t most_used_ = 0, most_used_before_ = 0;  // at a time, in this window and in the one before
  uint32_t taken_ = 0;                           // in this window
};

// What get() gives, a pointer or a bool. If that is null or false for lack of memory, it is asked again after the
// device has freed idle blocks, and then after the keeper has given up memory: idle lanes take longer to make again.
template <typename Get>
auto GetOrTrim(Device& device, const std::weak_ptr<MemoryKeeper>& keeper, Get get) {
  auto got = get();
  if (!got && device.Trim()) got = get();
  if (got) return got;
  const std::shared_ptr<MemoryKeeper> keeps = keeper.lock();
  if (keeps == nullptr || !keeps->GiveUpMemory()) return got;
  device.Trim();
  return get();
}

}  // namespace opsrun::host
