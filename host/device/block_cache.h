// host/device/block_cache.h: keeps large blocks of a device's memory from one run to the next.
//
// An idle lane keeps no large memory: it returns its blocks to the cache of their device, and the next run of any plan
// takes them from there. So all plans share idle blocks, and a repeated call finds the same block again.
//
// All blocks together, in use or idle, are at most an eighth larger than the peak of what was requested at the same
// time within the last 256 to 512 blocks taken. When a larger block is needed, idle ones that are too small are freed
// first.
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

// Thread-safe. The device must outlive it. Before it ends, every block must be given back or disowned.
class BlockCache {
 public:
  explicit BlockCache(Device& device) : device_(device) {}
  BlockCache(const BlockCache&) = delete;
  ~BlockCache() { Trim(); }

  // See Device::TakeBlock.
  void* Take(size_t bytes, size_t most, const void* wish, Stream stream);
  void Give(void* memory);
  void Disown(void* memory);
  // Frees all idle blocks; returns false if there are none.
  bool Trim();

  size_t idle_bytes();

 private:
  using Sizes = std::multimap<size_t, void*>;
  struct Block {
    size_t size = 0;
    size_t asked = 0;                  // bytes of it that its user requested; 0: it is idle
    std::list<void*>::iterator age{};  // of an idle block: its place in ages_
    Sizes::iterator by_size{};
  };

  void* TakeIdle(size_t bytes, size_t most, const void* wish);
  void* Make(size_t bytes, Stream stream);
  void Count(Block& taken, size_t bytes);
  void EndIdle(Block& block);
  std::vector<void*> TakeOut(size_t bytes_to_come);
  void FreeAll(const std::vector<void*>& blocks);

  Device& device_;
  std::mutex mutex_;  // guards the members below
  std::unordered_map<void*, Block> blocks_;
  Sizes idle_;
  std::list<void*> ages_;                        // idle blocks; the one that was given back first comes first
  size_t total_ = 0;                             // sizes of all blocks
  size_t used_ = 0;                              // bytes requested of blocks in use
  size_t most_used_ = 0, most_used_before_ = 0;  // peaks in this window and in the one before
  uint32_t taken_ = 0;                           // blocks taken in this window
};

// Returns what get() returns, a pointer or a bool. If that is null or false for lack of memory, tries again after the
// device has freed idle blocks, and again after the keeper has given up memory. The keeper is last, because idle lanes
// take longer to make again.
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
