// host/device/cpu_device.cc: memory of malloc, or memory that other processes see.
// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <span>
#include <utility>

#include "host/device/device.h"
#include "host/device/shared_memory.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {
namespace {

constexpr size_t kAlignment = 64;

// The first write to a page of a new block, which the system then clears, may take longer than the op that writes it;
// malloc gives the pages of freed blocks back as soon as they are at the end of its heap. So blocks that were freed
// last are kept for the next ones of about their size, which are results of the next call: some, and a large one, of
// which the system may have the pages in between if it needs them.
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
    if (size >= kLeastKept && size <= kMostKept && (size < kLeastLarge || LetSystemTakePages(block, size)))
      block = PlaceFor(size).exchange(block);
    std::free(block);
  }

  bool AllocateIn(std::shared_ptr<SharedRegion> region) override {
    shared_.store(new SharedHeap(std::move(region)), std::memory_order_release);
    return true;
  }
  bool is_shared() const override { return shared_.load(std::memory_order_acquire) != nullptr; }

  bool Trim() override {
    bool any = false;
    for (std::atomic<void*>& place : kept_) {
      void* const block = place.exchange(nullptr);
      any = any || block != nullptr;
      std::free(block);
    }
    return any;
  }

 private:
  static constexpr size_t kLeastKept = size_t{128} << 10, kLeastLarge = size_t{8} << 20, kMostKept = size_t{256} << 20;

  // The first for large blocks, the others for the rest.
  std::span<std::atomic<void*>> PlacesFor(size_t size) {
    return size >= kLeastLarge ? std::span(kept_).first(1) : std::span(kept_).subspan(1);
  }

  std::atomic<void*>& PlaceFor(size_t size) {
    const std::span<std::atomic<void*>> places = PlacesFor(size);
    const auto empty = std::ranges::find_if(places, [](const auto& place) { return place.load() == nullptr; });
    return empty != places.end() ? *empty : places[next_.fetch_add(1, std::memory_order_relaxed) % places.size()];
  }

  // Null if all that are kept are too small, or larger by more than an eighth.
  void* TakeKept(size_t size) {
    for (std::atomic<void*>& place : PlacesFor(size)) {
      void* const block = place.load(std::memory_order_relaxed) == nullptr ? nullptr : place.exchange(nullptr);
      if (block == nullptr) continue;
      const size_t found = malloc_usable_size(block);
      if (found >= size && found <= size + size / 8) return block;
      std::free(place.exchange(block));
    }
    return nullptr;
  }

  std::array<std::atomic<void*>, 5> kept_{};
  std::atomic<uint32_t> next_{0};             // which of them is replaced
  std::atomic<SharedHeap*> shared_{nullptr};  // owned; null: memory of malloc
};

}  // namespace

std::unique_ptr<Device> OpenCpuDevice() {
  return std::make_unique<CpuDevice>();
}

}  // namespace opsrun::host
