// host/run/buffer.h: counted memory for dynamic outputs, temporaries and retained tensors. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "host/base/dtype.h"
#include "host/device/device.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// The header of a block of device memory: directly in front of the block if the CPU can read it, otherwise allocated
// separately. The count is atomic because a kernel may release from any thread.
struct alignas(64) Buffer {
  // A block of at least `bytes` bytes with one reference, 64-byte aligned, contents undefined; null if out of memory.
  // stream: the one whose work uses the block. The device frees the block after that work.
  static Buffer* New(Device& device, Stream stream, size_t bytes);
  // The same, taken from the blocks that the device keeps for reuse; see Device::TakeBlock. Requires: no stream uses
  // it.
  static Buffer* NewBlock(Device& device, size_t bytes);
  // The block leaves the set that the device reuses; its user may keep it as long as it likes.
  void Disown();
  void* data() { return memory; }
  // Small, and its elements own no memory.
  bool is_small() const { return capacity < kLargeBlock && slots == DType::kInvalid; }
  bool sole() const { return references.load(std::memory_order_acquire) == 1; }
  void Retain() { references.fetch_add(1, std::memory_order_relaxed); }
  // Releases a reference. True if it was the last one; the caller then frees or keeps the block.
  bool Drop();
  void Free();
  // Drop, then Free if it was the last reference.
  void Release();

  std::atomic<int32_t> references{1};
  uint32_t size_class = 0;
  size_t capacity = 0;
  Device* device = nullptr;       // that owns the block
  Stream stream = kNoStream;      // see New
  void* memory = nullptr;         // the block
  Buffer* next = nullptr;         // in a pool's list
  DType slots = DType::kInvalid;  // type of elements that own memory; pools do not keep such a block
  bool is_block = false;          // see NewBlock
};
static_assert(sizeof(Buffer) == 64);

// Blocks that a lane used on a stream and will reuse there, in free lists by size class (powers of two). For one
// thread, or with `shared` for any number of threads.
class BufferPool {
 public:
  BufferPool(Device& device, Stream stream, bool shared) : device_(device), stream_(stream), shared_(shared) {}
  BufferPool(const BufferPool&) = delete;
  ~BufferPool();

  // With one reference; null if out of memory.
  Buffer* Take(size_t bytes);
  // The same, but null if it would need a lock or the device.
  Buffer* TakeQuickly(size_t bytes);
  // Releases a reference. If it was the last one, keeps the block, provided it was used only on this pool's stream.
  void Put(Buffer* buffer);
  // The block leaves the pool; its last user frees it.
  void Disown(Buffer* buffer);
  // Gives back unused large blocks, and the small ones if there are many. The work on the stream must be done.
  void Shrink();
  size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  // More than a lane keeps between runs.
  bool has_much() const { return bytes() > kKept; }

 private:
  static constexpr size_t kSmallest = 64;
  static constexpr size_t kLargest = size_t{1} << 47;  // as Buffer::New
  static constexpr size_t kKept = size_t{1} << 20;     // of small blocks, in bytes

  static uint32_t ClassOf(size_t bytes) {
    return static_cast<uint32_t>(std::bit_width(std::max(bytes, kSmallest) - 1));
  }
  void PutSlowly(Buffer* buffer);
  std::unique_lock<std::mutex> Lock();
  Buffer* NewBlock(uint32_t size_class);
  Buffer* New(size_t bytes);
  // Frees the unused blocks of this class and larger ones; false if there are none.
  bool FreeFrom(uint32_t size_class);

  Device& device_;
  const Stream stream_;
  const bool shared_;
  std::mutex mutex_;  // if shared, guards free_
  std::array<Buffer*, 64> free_{};
  std::atomic<size_t> bytes_{0};  // taken from the device and not freed by this pool
};

inline Buffer* BufferPool::TakeQuickly(size_t bytes) {
  if (shared_ || bytes > kLargest) return nullptr;
  Buffer*& head = free_[ClassOf(bytes)];
  Buffer* buffer = head;
  if (buffer == nullptr) return nullptr;
  head = buffer->next;
  buffer->references.store(1, std::memory_order_relaxed);
  return buffer;
}

// The sole reference needs no atomic exchange: no other thread can add one.
inline void BufferPool::Put(Buffer* buffer) {
  if (shared_ || buffer->size_class == 0 || buffer->stream != stream_ || !buffer->sole()) return PutSlowly(buffer);
  buffer->next = free_[buffer->size_class];
  free_[buffer->size_class] = buffer;
}

// What the elements of a buffer with slots own: strings own their bytes, resources a reference. Private to this room.

// A block for `bytes` bytes of elements of `dtype`, with one reference; null if out of memory. Elements with slots are
// always in CPU memory. See Buffer::New.
Buffer* NewElements(Device& device, Stream stream, DType dtype, size_t bytes);

// Copies `bytes` bytes of elements, including strings and references, into a fresh block of CPU memory. False if out of
// memory.
bool CopyElements(Buffer& to, const void* from, size_t bytes);

// Sets element i of a block of strings to a copy of `text`. Returns an OPSRUN_* code.
int32_t AssignString(Buffer& strings, uint64_t i, std::string_view text);
int32_t SwapStrings(Buffer& strings, uint64_t i, uint64_t j);

// Releases what the elements own. Requires: buffer.slots.
void DropElements(Buffer& buffer);

// One reference to a block of a host's memory, 64-byte aligned. Keeps the host's table and its device alive, so it may
// outlive lanes, plans and engines. The last reference destroys elements that own memory (strings). Any thread.
class SharedMemory {
 public:
  SharedMemory() = default;  // none
  // Takes over one reference.
  SharedMemory(Buffer* buffer, std::shared_ptr<const opsrun_host> host) : buffer_(buffer), host_(std::move(host)) {}
  SharedMemory(SharedMemory&& other) noexcept
      : buffer_(std::exchange(other.buffer_, nullptr)), host_(std::move(other.host_)) {}
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  // Memory for `bytes` bytes of elements; contents are undefined, except that strings are empty. None if out of memory.
  // Requires: `host` was made by MakeHostTable.
  static SharedMemory Allocate(const opsrun_host* host, DType dtype, size_t bytes);
  // The same, with copies of the elements of `view`.
  static SharedMemory CopyOf(const opsrun_tensor& view);

  explicit operator bool() const { return buffer_ != nullptr; }
  void* data() const;

 private:
  Buffer* buffer_ = nullptr;
  std::shared_ptr<const opsrun_host> host_;
};

}  // namespace opsrun::host
