// host/run/buffer.h: counted memory for dynamic outputs, temporaries and retained tensors, and the kinds of tensor
// views that this host makes. Private to this room.
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
#include "host/plan/plan.h"
#include "host/tensor/tensor.h"
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
  // The same, in memory of Device::AllocatePrivate.
  static Buffer* NewPrivate(Device& device, size_t bytes);
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
  bool is_private = false;        // see NewPrivate
  bool is_in_front = false;       // of the block, and freed with it
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
  // Memory of numbers on another device, for work on `stream`.
  static SharedMemory AllocateOn(Device& device, Stream stream, const opsrun_host* host, size_t bytes);
  // The last reference is then released in the order of another stream of the device. Requires: it has no other users.
  void FreeOn(Stream stream);

  explicit operator bool() const { return buffer_ != nullptr; }
  void* data() const;

 private:
  Buffer* buffer_ = nullptr;
  std::shared_ptr<const opsrun_host> host_;
};

// Tensor views, whose kinds private flag bits mark. A view without such a bit is planned memory: an arena output, a
// constant, a feed. It is never shared: retaining it copies the elements.

constexpr uint32_t kDynamicView = 1u << 16;
constexpr uint32_t kHandle = 1u << 17;
// A dynamic view about which nothing is known before the run, and whose elements own no memory: any shape is allowed.
constexpr uint32_t kAnyShape = 1u << 18;
// The view is a PlannedView.
constexpr uint32_t kPlannedView = 1u << 19;

// Sizes and strides of a view whose shape is set during the run. Up to kInline dimensions need no allocation.
class ViewShape {
 public:
  // Writes them into `view` too. Requires: 0 <= rank <= OPSRUN_MAX_RANK.
  void Set(opsrun_tensor& view, int32_t rank, const int64_t* dims);

  // The same for an unchecked shape. False if it is invalid or needs an allocation; `view` may be partly written then.
  // *bytes: in, the size of an element; out, the size of the tensor.
  bool SetQuickly(opsrun_tensor& view, int32_t rank, const int64_t* dims, size_t* bytes) {
    if (rank <= 0 || rank > kInline || dims == nullptr) return false;
    uint64_t elements = 1;
    for (int32_t i = rank - 1; i >= 0; --i) {
      inline_[i] = dims[i];
      inline_[kInline + i] = static_cast<int64_t>(elements);
      // Both factors are at most 2^31, so neither the product nor the bytes overflow. A size of 0 would make a stride
      // 0.
      if ((static_cast<uint64_t>(dims[i]) - 1) >> 31 != 0 || elements >> 31 != 0) return false;
      elements *= static_cast<uint64_t>(dims[i]);
    }
    if (elements >> 47 != 0) return false;
    *bytes *= elements;
    view.rank = rank;
    view.shape = inline_;
    view.strides = inline_ + kInline;
    return true;
  }

 private:
  static constexpr int32_t kInline = 2;

  int64_t inline_[2 * kInline];
  int32_t large_rank_ = 0;
  std::unique_ptr<int64_t[]> large_;  // room for 2 x large_rank_
};

// Planned memory on a device other than the CPU.
struct PlannedView : opsrun_tensor {
  Device* on = nullptr;
  Stream stream = kNoStream;  // the stream whose work uses it
};

// A step's output that the kernel allocates: unallocated (rank -1, no buffer), or a share of a buffer.
struct DynamicView : opsrun_tensor {
  Buffer* buffer = nullptr;
  BufferPool* pool = nullptr;    // where its buffers come from
  std::atomic<int32_t> left{0};  // readers that have not ended yet
  int32_t readers = 0;           // steps that end with EndRead
  uint32_t value = 0;            // index in the plan, for what is known before the run
  uint16_t element_bytes = 0;
  std::atomic<bool> excused{false};  // nobody reads it, and the kernel knows: it may not make it
  ViewShape sizes;

  bool allocated() const { return buffer != nullptr; }
  bool is_excused() const { return excused.load(std::memory_order_relaxed); }
  // Takes over one reference of `buffer`. Requires: the shape is set.
  void Hold(Buffer* taken) {
    buffer = taken;
    left.store(readers, std::memory_order_relaxed);
    data = taken->data();
  }
  void Allocate(Buffer* taken, int32_t rank, const int64_t* dims);
  // Forgets the buffer; the caller releases it.
  void Reset() {
    buffer = nullptr;
    data = nullptr;
    rank = -1;
    shape = nullptr;
    strides = nullptr;
  }
  // True for the last reader; no step reads the buffer through this view afterwards.
  bool EndRead() {
    return left.load(std::memory_order_acquire) == 1 || left.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
};

// A tensor that a plugin owns: a temporary, or one that it retained.
struct Handle : opsrun_tensor {
  std::atomic<int32_t> references{1};
  Buffer* buffer = nullptr;
  std::shared_ptr<const opsrun_host> table;  // keeps the table and its device alive
  ViewShape sizes;
};

inline DType DTypeOf(const opsrun_tensor& view) {
  return DTypeFromNumber(view.dtype);
}

// Initializes what all views have in common. device: where the data is.
void InitView(opsrun_tensor& view, const opsrun_host* host, DType dtype, const Device& device, uint32_t flags);

// A new handle with one reference; takes over one reference of `buffer`.
Handle* NewHandle(Buffer* buffer, const opsrun_host* host, DType dtype, int32_t rank, const int64_t* dims);
void ReleaseHandle(Handle* handle);

// The buffer that a view shares, or null for planned memory.
Buffer* BufferOf(const opsrun_tensor* view);

// The size in bytes of a tensor that a plugin requests, on the fast path of a running node; false if it is invalid.
inline bool BytesOf(DType dtype, int32_t rank, const int64_t* dims, size_t* bytes) {
  *bytes = ElementBytes(dtype);
  if (*bytes == 0 || rank < 0 || rank > OPSRUN_MAX_RANK || (rank > 0 && dims == nullptr)) return false;
  for (int32_t i = 0; i < rank; ++i) {
    if (dims[i] < 0 || __builtin_mul_overflow(*bytes, static_cast<size_t>(dims[i]), bytes)) return false;
  }
  return true;
}
// Why BytesOf returned false.
Status WhyNoTensor(DType dtype, int32_t rank, const int64_t* dims);
size_t ViewBytes(const opsrun_tensor& view);

// True if the shape is compatible with what the plan knows about the value.
bool Fits(const PlanValue& value, int32_t rank, const int64_t* dims);

std::string ViewShapeText(int32_t rank, const int64_t* dims);  // "[2, 3]"

}  // namespace opsrun::host
