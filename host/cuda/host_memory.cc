// host/cuda/host_memory.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cuda/host_memory.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace opsrun::host {
namespace {

// Powers of two, so that blocks are found again.
size_t SizeClass(size_t bytes) {
  constexpr size_t kSmallest = 256, kLargest = size_t{1} << 47;
  return bytes > kLargest ? 0 : std::bit_ceil(std::max(bytes, kSmallest));
}

}  // namespace

CudaHostMemory::CudaHostMemory(const CudaPrimaryContext& context, Device& card)
    : context_(context), driver_(context.driver()), card_(card) {}

CudaHostMemory::~CudaHostMemory() {
  const InContext in_context(context_);
  for (const auto& [bytes, block] : free_) {
    if (block.used != nullptr) driver_.cuEventSynchronize(block.used);
    if (block.used != nullptr) card_.GiveEvent(block.used);
    driver_.cuMemFreeHost(block.memory);
  }
}

void* CudaHostMemory::Allocate(size_t bytes, Stream) {
  const size_t size = SizeClass(bytes);
  if (size == 0) return nullptr;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (void* memory = TakeFree(size)) return memory;
  const InContext in_context(context_);
  void* memory = nullptr;
  if (in_context.error() != kCudaSuccess || driver_.cuMemAllocHost(&memory, size) != kCudaSuccess) return nullptr;
  sizes_[memory] = size;
  return memory;
}

void* CudaHostMemory::TakeFree(size_t bytes) {
  const auto [first, last] = free_.equal_range(bytes);
  const auto found = std::find_if(first, last, [&](const auto& block) { return IsFree(block.second); });
  if (found == last) return nullptr;
  const Block block = found->second;
  free_.erase(found);
  if (block.used != nullptr) card_.GiveEvent(block.used);
  return block.memory;
}

bool CudaHostMemory::IsFree(const Block& block) const {
  const InContext in_context(context_);
  if (block.used == nullptr) return true;
  return in_context.error() == kCudaSuccess && driver_.cuEventQuery(block.used) == kCudaSuccess;
}

// Without an event the block would be given out too early, so then it is not given out at all.
void CudaHostMemory::Free(void* memory, Stream stream) {
  if (memory == nullptr) return;
  Block block{memory, nullptr};
  if (stream != kNoStream) {
    const Result<Event> event = card_.TakeEvent();
    if (!event.ok() || !card_.Record(*event, stream).ok()) return;
    block.used = static_cast<CudaEvent>(*event);
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  free_.emplace(sizes_.at(memory), block);
}

Status CudaHostMemory::Copy(Direction, void* to, const void* from, size_t bytes, Stream) {
  if (bytes != 0) std::memmove(to, from, bytes);
  return OkStatus();
}

}  // namespace opsrun::host
