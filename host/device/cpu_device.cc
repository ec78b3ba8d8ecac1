// host/device/cpu_device.cc: memory of malloc, or memory that other processes see.
// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <utility>

#include "host/device/device.h"
#include "host/device/shared_memory.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {
namespace {

constexpr size_t kAlignment = 64;

// The first write to a page of a new large block, which the system then clears, may take longer than the op that writes
// it. So the large block that was freed last is kept for the next one of about its size, which is a result of the next
// call. Until then, the system may have its pages if it needs them.
class CpuDevice final : public Device {
 public:
  ~CpuDevice() override {
    Trim();
    delete shared_.load();
  }

  // malloc instead of aligned_alloc, which bypasses glibc's cache of small blocks: allocating results is most of the
  // cost of calling a small op. The address of the malloc block is stored in front of the returned memory.
  void* Allocate(size_t bytes, Stream) override {
    if (SharedHeap* const shared = shared_.load(std::memory_order_acquire); shared != nullptr) [[unlikely]]
      return shared->Take(bytes);
    return AllocatePrivate(bytes);
  }
  void Free(void* memory, Stream) override {
    if (SharedHeap* const shared = shared_.load(std::memory_order_acquire);
        shared != nullptr && memory != nullptr && shared->region().Holds(memory, 1)) [[unlikely]]
      return shared->Give(memory);
    FreePrivate(memory);
  }

  void* AllocatePrivate(size_t bytes) override {
    if (bytes > SIZE_MAX - 2 * kAlignment) return nullptr;
    const size_t size = bytes + kAlignment + sizeof(void*);
    void* block = bytes < kLeastKept ? nullptr : TakeKept(size);
    if (block == nullptr) {
      block = std::malloc(size);
      if (block == nullptr && Trim()) block = std::malloc(size);
      if (block == nullptr) return nullptr;
      UseLargePages(block, bytes);
    }
    const auto begin = reinterpret_cast<uintptr_t>(block) + sizeof(void*);
    auto* const aligned = reinterpret_cast<void*>((begin + kAlignment - 1) / kAlignment * kAlignment);
    static_cast<void**>(aligned)[-1] = block;
    return aligned;
  }
  void FreePrivate(void* memory) override {
    if (memory == nullptr) return;
    void* block = static_cast<void**>(memory)[-1];
    const size_t size = malloc_usable_size(block);
    if (size >= kLeastKept && size <= kMostKept && LetSystemTakePages(block, size)) block = kept_.exchange(block);
    std::free(block);
  }

  bool AllocateIn(std::shared_ptr<SharedRegion> region) override {
    shared_.store(new SharedHeap(std::move(region)), std::memory_order_release);
    return true;
  }
  bool is_shared() const override { return shared_.load(std::memory_order_acquire) != nullptr; }

  bool Trim() override {
    void* const block = kept_.exchange(nullptr);
    std::free(block);
    return block != nullptr;
  }

 private:
  // malloc itself keeps smaller ones, once some were freed.
  static constexpr size_t kLeastKept = size_t{32} << 20, kMostKept = size_t{256} << 20;

  // Null if the block that is kept is too small, or larger by more than an eighth.
  void* TakeKept(size_t size) {
    void* const block = kept_.exchange(nullptr);
    if (block == nullptr) return nullptr;
    const size_t found = malloc_usable_size(block);
    if (found >= size && found <= size + size / 8) return block;
    std::free(kept_.exchange(block));
    return nullptr;
  }

  std::atomic<void*> kept_{nullptr};
  std::atomic<SharedHeap*> shared_{nullptr};  // owned; null: memory of malloc
};

}  // namespace

std::unique_ptr<Device> OpenCpuDevice() {
  return std::make_unique<CpuDevice>();
}

}  // namespace opsrun::host
