// host/device/host_memory.cc: page-locked CPU memory, for fast copies to and from a card.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <utility>

#include "host/device/cuda_device.h"
#include "host/device/device.h"

namespace opsrun::host {

namespace {

// Rounds up to a power of two, so that blocks can be reused.
size_t SizeClass(size_t bytes) {
  constexpr size_t kSmallest = 256, kLargest = size_t{1} << 47;
  return bytes > kLargest ? 0 : std::bit_ceil(std::max(bytes, kSmallest));
}

// Locking pages takes about a millisecond, so freed blocks are kept, but not more memory than was in use at the same
// time. A freed block is reused when the work that was then on its stream is done. An event tells this, because a card
// with an error does not call host functions. Large blocks without a stream are kept as described for
// Device::TakeBlock.
class CudaHostMemory final : public Device {
 public:
  CudaHostMemory(const CudaPrimaryContext& context, Device& card, std::weak_ptr<MemoryKeeper> keeper, Device* cpu)
      : context_(context), driver_(context.driver()), card_(card), cpu_(cpu), keeper_(std::move(keeper)) {}

  ~CudaHostMemory() override {
    blocks_.Trim();
    const InContext in_context(context_);
    for (const auto& [bytes, block] : free_) {
      if (block.used != nullptr) driver_.cuEventSynchronize(block.used);
      if (block.used != nullptr) card_.GiveEvent(block.used);
      Unlock(block.memory);
    }
  }

  void* Allocate(size_t bytes, Stream) override {
    const size_t size = SizeClass(bytes);
    if (size == 0) return nullptr;
    return GetOrTrim(*this, keeper_, [&] {
      void* memory = Use(size, &CudaHostMemory::TakeFree);
      // Not under the lock: the CPU may ask for the memory of lanes, which then free theirs here.
      if (memory != nullptr || (cpu_ != nullptr && !cpu_->Reserve(size))) return memory;
      memory = Use(size, &CudaHostMemory::Lock);
      if (memory == nullptr && cpu_ != nullptr) cpu_->GiveBack(size);
      return memory;
    });
  }

  // Without an event, the block could be reused too early, so it is then never reused.
  void Free(void* memory, Stream stream) override {
    if (memory == nullptr) return;
    Block block{memory, nullptr};
    if (stream != kNoStream) {
      const Result<Event> event = card_.TakeEvent();
      if (!event.ok() || !card_.Record(*event, stream).ok()) return;
      block.used = static_cast<CudaEvent>(*event);
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    const size_t size = sizes_.at(memory);
    used_ -= size;
    if (stream == kNoStream && size >= kLargeBlock) return Unlock(memory);
    free_.emplace(size, block);
  }

  void* TakeBlock(size_t bytes, size_t most, const void* wish, Stream stream) override {
    return blocks_.Take(bytes, most, wish, stream);
  }
  void GiveBlock(void* block) override { blocks_.Give(block); }
  void DisownBlock(void* block) override { blocks_.Disown(block); }

  bool Trim() override {
    const bool any = blocks_.Trim();
    const std::lock_guard<std::mutex> lock(mutex_);
    const size_t before = total_;
    most_used_ = used_;
    FreeIdle(0);
    return any || total_ < before;
  }

 private:
  struct Block {
    void* memory = nullptr;
    CudaEvent used = nullptr;  // reached when the block is no longer used; null: not used
  };

  void* Use(size_t bytes, void* (CudaHostMemory::*get)(size_t)) {
    const std::lock_guard<std::mutex> lock(mutex_);
    void* const memory = (this->*get)(bytes);
    if (memory == nullptr) return nullptr;
    used_ += bytes;
    most_used_ = std::max(most_used_, used_);
    return memory;
  }

  void* TakeFree(size_t bytes) {
    const auto [first, last] = free_.equal_range(bytes);
    const auto found = std::find_if(first, last, [&](const auto& block) { return IsFree(block.second); });
    if (found == last) return nullptr;
    const Block block = found->second;
    free_.erase(found);
    if (block.used != nullptr) card_.GiveEvent(block.used);
    return block.memory;
  }

  bool IsFree(const Block& block) const {
    const InContext in_context(context_);
    if (block.used == nullptr) return true;
    return in_context.error() == kCudaSuccess && driver_.cuEventQuery(block.used) == kCudaSuccess;
  }

  void* Lock(size_t bytes) {
    FreeIdle(std::max(most_used_, used_ + bytes) - bytes);
    const InContext in_context(context_);
    void* memory = nullptr;
    if (in_context.error() != kCudaSuccess || driver_.cuMemAllocHost(&memory, bytes) != kCudaSuccess) return nullptr;
    total_ += bytes;
    sizes_[memory] = bytes;
    return memory;
  }

  // Frees idle blocks until at most `most` bytes are left.
  void FreeIdle(size_t most) {
    for (auto each = free_.begin(); each != free_.end() && total_ > most;) {
      const Block block = each->second;
      if (!IsFree(block)) {
        ++each;
        continue;
      }
      if (block.used != nullptr) card_.GiveEvent(block.used);
      each = free_.erase(each);
      Unlock(block.memory);
    }
  }

  void Unlock(void* memory) {
    const InContext in_context(context_);
    const size_t bytes = sizes_.at(memory);
    total_ -= bytes;
    if (cpu_ != nullptr) cpu_->GiveBack(bytes);
    sizes_.erase(memory);
    driver_.cuMemFreeHost(memory);
  }

  const CudaPrimaryContext& context_;
  const CudaDriver& driver_;
  Device& card_;
  Device* const cpu_;
  std::mutex mutex_;                             // guards the members below
  std::unordered_map<void*, size_t> sizes_;      // of all blocks
  std::multimap<size_t, Block> free_;            // by size
  size_t total_ = 0, used_ = 0, most_used_ = 0;  // bytes of all blocks, of those in use, and the peak of the latter
  const std::weak_ptr<MemoryKeeper> keeper_;
  BlockCache blocks_{*this};
};

}  // namespace

std::unique_ptr<Device> OpenCudaHostMemory(const CudaPrimaryContext& context, Device& card,
                                           std::weak_ptr<MemoryKeeper> keeper, Device* cpu) {
  return std::make_unique<CudaHostMemory>(context, card, std::move(keeper), cpu);
}

}  // namespace opsrun::host
