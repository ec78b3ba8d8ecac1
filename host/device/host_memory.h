// host/device/host_memory.h: page-locked memory of the CPU, from and to which a card copies without a detour. Private
// to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "host/device/block_cache.h"
#include "host/device/cuda_device.h"
#include "host/device/device.h"

namespace opsrun::host {

// Locking pages takes about a millisecond, so blocks are kept: not more than were in use at the same time. A block that
// was freed is given out again once the work that was on the stream then is done: that is asked of an event, since a
// card with an error calls no functions of the host. Large blocks that belong to no stream are kept as
// Device::TakeBlock says.
class CudaHostMemory final : public Device {
 public:
  // The card's own streams. Both outlive this. keeper: see OpenCudaDevice.
  CudaHostMemory(const CudaPrimaryContext& context, Device& card, std::weak_ptr<MemoryKeeper> keeper);
  ~CudaHostMemory() override;

  const std::string& name() const override { return name_; }
  const std::string& kind() const override { return kind_; }
  opsrun_device id() const override { return {OPSRUN_DEVICE_CPU, 0}; }
  void* Allocate(size_t bytes, Stream stream) override;
  void Free(void* memory, Stream stream) override;
  void* TakeBlock(size_t bytes, size_t most, const void* wish, Stream stream) override {
    return blocks_.Take(bytes, most, wish, stream);
  }
  void GiveBlock(void* block) override { blocks_.Give(block); }
  void DisownBlock(void* block) override { blocks_.Disown(block); }
  bool Trim() override;
  Status Copy(Direction direction, void* to, const void* from, size_t bytes, Stream stream) override;

 private:
  struct Block {
    void* memory = nullptr;
    CudaEvent used = nullptr;  // reached once nothing uses it any more; null: nothing does
  };

  void* TakeFree(size_t bytes);
  bool IsFree(const Block& block) const;
  void* Lock(size_t bytes);
  void FreeIdle(size_t most);
  void Unlock(void* memory);

  const CudaPrimaryContext& context_;
  const CudaDriver& driver_;
  Device& card_;
  const std::string name_ = kCpuName, kind_ = kCpuKind;
  std::mutex mutex_;                         // guards what follows
  std::unordered_map<void*, size_t> sizes_;  // of all blocks
  std::multimap<size_t, Block> free_;        // by size
  size_t total_ = 0, used_ = 0,
         most_used_ = 0;  // in bytes: of all blocks, of those in use, and the most of that so far
  const std::weak_ptr<MemoryKeeper> keeper_;
  BlockCache blocks_{*this};
};

}  // namespace opsrun::host
