// host/device/host_memory.h: page-locked CPU memory, for fast copies to and from a card. Private to this library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "host/device/block_cache.h"
#include "host/device/cuda_device.h"
#include "host/device/device.h"

namespace opsrun::host {

// Locking pages takes about a millisecond, so freed blocks are kept, but not more memory than was in use at the same
// time. A freed block is reused when the work that was then on its stream is done. An event tells this, because a card
// with an error does not call host functions. Large blocks without a stream are kept as described for
// Device::TakeBlock.
class CudaHostMemory final : public Device {
 public:
  // `context` and `card`, which provides the streams, must outlive this object. keeper: see OpenCudaDevice.
  CudaHostMemory(const CudaPrimaryContext& context, Device& card, std::weak_ptr<MemoryKeeper> keeper);
  ~CudaHostMemory() override;

  void* Allocate(size_t bytes, Stream stream) override;
  void Free(void* memory, Stream stream) override;
  void* TakeBlock(size_t bytes, size_t most, const void* wish, Stream stream) override {
    return blocks_.Take(bytes, most, wish, stream);
  }
  void GiveBlock(void* block) override { blocks_.Give(block); }
  void DisownBlock(void* block) override { blocks_.Disown(block); }
  bool Trim() override;

 private:
  struct Block {
    void* memory = nullptr;
    CudaEvent used = nullptr;  // reached when the block is no longer used; null: not used
  };

  void* TakeFree(size_t bytes);
  bool IsFree(const Block& block) const;
  void* Lock(size_t bytes);
  void FreeIdle(size_t most);
  void Unlock(void* memory);

  const CudaPrimaryContext& context_;
  const CudaDriver& driver_;
  Device& card_;
  std::mutex mutex_;                         // guards the members below
  std::unordered_map<void*, size_t> sizes_;  // of all blocks
  std::multimap<size_t, Block> free_;        // by size
  size_t total_ = 0, used_ = 0,
         most_used_ = 0;  // in bytes: all blocks, blocks in use, and the peak of the latter
  const std::weak_ptr<MemoryKeeper> keeper_;
  BlockCache blocks_{*this};
};

}  // namespace opsrun::host
