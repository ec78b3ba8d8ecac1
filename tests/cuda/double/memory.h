// tests/cuda/double/memory.h: the memory of the devices, when and where it is used, and host memory that devices can
// access.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/cuda/double/clocks.h"
#include "tests/cuda/double/settings.h"

namespace cuda_double {

inline constexpr size_t kPage = 4096;

// A range of bytes, shared with the process of the kernels. Sorted by address, because addresses only increase.
struct SharedBlock {
  uintptr_t begin, end;
};
inline constexpr size_t kMostBlocks = 1 << 16;

// What a kernel accessed: pages [first, first + count) of device memory.
struct Touch {
  uint32_t first, count;
  bool wrote;
};

class Memory {
 public:
  explicit Memory(Reports& reports);
  Memory(const Memory&) = delete;

  // The addresses of the devices. They are inaccessible in this process; `Private` is where the same bytes are
  // accessible.
  uintptr_t begin() const { return begin_; }
  uintptr_t end() const { return begin_ + kBytes; }
  bool Has(uintptr_t address) const { return address >= begin() && address < end(); }
  char* Private(uintptr_t address) const { return private_ + (address - begin_); }

  // 0: out of memory. `made`: when it becomes valid.
  uintptr_t Allocate(size_t bytes, int device, const Moment& made);
  uint64_t used(int device) { return used_[device]; }
  // False: there is no block at the address, or it was already freed. `ended`, `clock`: of the operation that frees it.
  bool Free(uintptr_t address, const Moment& ended, const Clock& clock);
  // The device of the block at the address; -1: there is none.
  int DeviceOf(uintptr_t address);
  // Checks an access to [address, address + bytes) against all others.
  void Use(uintptr_t address, size_t bytes, bool wrote, const Moment& moment, const Clock& clock);
  // For reports: "a block of 64 bytes, allocated by cuMemAlloc".
  std::string BlockText(uintptr_t address) const;
  // Reports the blocks of a device that were not freed.
  void ReportLeaks(int device);

  // Page-locked host memory, which kernels can access too.
  void* AllocatePinned(size_t bytes);
  bool FreePinned(void* memory);
  bool IsPinned(const void* memory) const;

  const SharedBlock* shared_blocks() const { return shared_blocks_; }
  const size_t* shared_count() const { return shared_count_; }

  static constexpr size_t kBytes = size_t{1} << 36;  // of addresses

 private:
  static constexpr size_t kPinnedBytes = size_t{1} << 34;
  struct Page {
    Moment writer;
    std::vector<Moment> readers;  // since the last write
  };
  struct Block {
    size_t bytes = 0;
    int device = 0;
    Moment made, ended;
    bool is_free = false;
    std::vector<Page> pages;
  };

  Block* Find(uintptr_t address, uintptr_t* begin);
  void UsePage(Page& page, const std::string& where, bool wrote, const Moment& moment, const Clock& clock);

  Reports& reports_;
  uintptr_t begin_ = 0;
  char* private_ = nullptr;
  uintptr_t next_ = 0;
  std::map<uintptr_t, Block> blocks_;
  std::map<int, uint64_t> used_;  // bytes per device
  char* pinned_ = nullptr;
  size_t pinned_next_ = 0;
  std::map<void*, size_t> pinned_blocks_;
  SharedBlock* shared_blocks_ = nullptr;
  size_t* shared_count_ = nullptr;
};

}  // namespace cuda_double
