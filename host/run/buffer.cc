// host/run/buffer.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/run/buffer.h"

#include <new>

#include "host/run/elements.h"

namespace opsrun::host {
namespace {

constexpr size_t kMostBytes = size_t{1} << 47;  // no machine has more; sums with it do not overflow

Buffer* Place(void* memory, Device* device, size_t bytes) {
  if (memory == nullptr) return nullptr;
  auto* buffer = new (memory) Buffer;
  buffer->capacity = bytes;
  buffer->device = device;
  return buffer;
}

}  // namespace

Buffer* Buffer::New(Device& device, size_t bytes) {
  return bytes > kMostBytes ? nullptr : Place(device.Allocate(sizeof(Buffer) + bytes), &device, bytes);
}

void Buffer::Free() {
  if (slots != DType::kInvalid) DropElements(*this);
  device->Free(this);
}

bool Buffer::Drop() {
  return references.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

void Buffer::Release() {
  if (Drop()) Free();
}

BufferPool::~BufferPool() {
  for (Buffer* buffer : free_) {
    while (buffer != nullptr) {
      Buffer* next = buffer->next;
      buffer->Free();
      buffer = next;
    }
  }
}

std::unique_lock<std::mutex> BufferPool::Lock() {
  return shared_ ? std::unique_lock<std::mutex>(mutex_) : std::unique_lock<std::mutex>();
}

Buffer* BufferPool::NewBlock(uint32_t size_class) {
  Buffer* fresh = Buffer::New(device_, size_t{1} << size_class);
  if (fresh == nullptr) return nullptr;
  fresh->size_class = size_class;
  bytes_.fetch_add(fresh->capacity, std::memory_order_relaxed);
  return fresh;
}

Buffer* BufferPool::Take(size_t bytes) {
  if (bytes > kLargest) return nullptr;
  const uint32_t size_class = ClassOf(bytes);
  std::unique_lock<std::mutex> lock = Lock();
  Buffer* buffer = free_[size_class];
  if (buffer == nullptr) {
    lock = {};
    return NewBlock(size_class);
  }
  free_[size_class] = buffer->next;
  buffer->references.store(1, std::memory_order_relaxed);
  return buffer;
}

void BufferPool::PutSlowly(Buffer* buffer) {
  if (!buffer->sole() && !buffer->Drop()) return;
  if (buffer->size_class == 0) return buffer->Free();  // a plugin's temporary that became an output
  const std::unique_lock<std::mutex> lock = Lock();
  buffer->next = free_[buffer->size_class];
  free_[buffer->size_class] = buffer;
}

}  // namespace opsrun::host
