// host/device/shared_memory.h: memory that this process and others have at the same addresses, so that pointers into it
// mean the same in all of them. Others may change its contents at any time: nothing that this process relies on is
// there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>

#include "host/base/file.h"
#include "host/base/status.h"

namespace opsrun::host {

// A range of addresses, whose pages take memory once they are written to.
class SharedRegion {
 public:
  // RESOURCE_EXHAUSTED, with the reason, if there are no addresses or descriptors left. name: for /proc.
  static Result<std::shared_ptr<SharedRegion>> Create(const char* name, size_t bytes);
  // The region of another process, which has created it at this address. Does not close the descriptor.
  static Result<std::shared_ptr<SharedRegion>> Attach(int descriptor, uintptr_t address, size_t bytes);
  SharedRegion(const SharedRegion&) = delete;
  ~SharedRegion();

  char* data() const { return data_; }
  size_t size() const { return size_; }
  int descriptor() const { return file_.get(); }  // -1 after Attach
  // True if all n bytes are in the region.
  bool Holds(const void* address, size_t n) const;
  // Gives the pages that are wholly in this part back to the system; they then are zeros.
  void Release(void* address, size_t n) const;

 private:
  SharedRegion(Descriptor file, char* data, size_t size) : file_(std::move(file)), data_(data), size_(size) {}

  const Descriptor file_;
  char* const data_;
  const size_t size_;
};

// More than the tensors of any run: twice the machine's memory, and at least 64 GiB.
size_t SharedRegionBytes();

// Blocks of a region: the smallest free one that fits. What it knows of them is not in the region. Only one process
// may have one. Thread-safe.
class SharedHeap {
 public:
  explicit SharedHeap(std::shared_ptr<SharedRegion> region);
  SharedHeap(const SharedHeap&) = delete;

  const SharedRegion& region() const { return *region_; }
  // Aligned to 64 bytes, contents undefined; null if the machine's memory is used up.
  void* Take(size_t bytes);
  void Give(void* memory);

 private:
  void AddFree(size_t offset, size_t bytes);
  size_t RemoveFree(size_t offset, size_t bytes);

  const std::shared_ptr<SharedRegion> region_;
  std::mutex mutex_;                             // guards the members below
  std::map<size_t, size_t> free_;                // sizes by offset
  std::set<std::pair<size_t, size_t>> by_size_;  // size, offset
  std::unordered_map<size_t, size_t> used_;      // sizes by offset
  size_t used_bytes_ = 0;
};

}  // namespace opsrun::host
