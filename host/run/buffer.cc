// SPDX-License-Identifier: Apache-2.0
#include "host/run/buffer.h"

#include <fmt/format.h>

#include <cstring>
#include <new>

#include "host/graph/tensor_value.h"
#include "host/plan/call_arrays.h"
#include "host/run/host_table.h"

namespace opsrun::host {
namespace {

constexpr size_t kMostBytes = size_t{1} << 47;  // above what any machine has; sums with it cannot overflow

// The header is in front of the block where the device allows it.
Buffer* Place(Device& device, Stream stream, size_t bytes) {
  const bool in_front = device.takes_headers();
  void* const memory = device.Allocate(in_front ? sizeof(Buffer) + bytes : bytes, stream);
  if (memory == nullptr) return nullptr;
  auto* const buffer = in_front ? new (memory) Buffer : new (std::nothrow) Buffer;
  if (buffer == nullptr) {
    device.Free(memory, stream);
    return nullptr;
  }
  buffer->memory = in_front ? buffer + 1 : memory;
  buffer->is_in_front = in_front;
  return buffer;
}

Buffer* Describe(Buffer* buffer, Device& device, Stream stream, size_t bytes) {
  if (buffer == nullptr) return nullptr;
  buffer->capacity = bytes;
  buffer->device = &device;
  buffer->stream = stream;
  return buffer;
}

}  // namespace

Buffer* Buffer::New(Device& device, Stream stream, size_t bytes) {
  return bytes > kMostBytes ? nullptr : Describe(Place(device, stream, bytes), device, stream, bytes);
}

Buffer* Buffer::NewPrivate(Device& device, size_t bytes) {
  void* const memory = bytes > kMostBytes ? nullptr : device.AllocatePrivate(sizeof(Buffer) + bytes);
  if (memory == nullptr) return nullptr;
  auto* const buffer = new (memory) Buffer;
  buffer->memory = buffer + 1;
  buffer->is_in_front = buffer->is_private = true;
  return Describe(buffer, device, kNoStream, bytes);
}

Buffer* Buffer::NewBlock(Device& device, size_t bytes) {
  const size_t whole = sizeof(Buffer) + bytes;
  void* const memory = device.TakeBlock(whole, whole + bytes / 8, nullptr, kNoStream);
  if (memory == nullptr) return nullptr;
  auto* const buffer = new (memory) Buffer;
  buffer->memory = buffer + 1;
  buffer->is_in_front = buffer->is_block = true;
  return Describe(buffer, device, kNoStream, bytes);
}

void Buffer::Disown() {
  if (std::exchange(is_block, false)) device->DisownBlock(this);
}

void Buffer::Free() {
  if (slots != DType::kInvalid) DropElements(*this);
  if (is_block) return device->GiveBlock(this);
  if (is_private) return device->FreePrivate(this);
  if (is_in_front) return device->Free(this, stream);
  device->Free(memory, stream);
  delete this;
}

bool Buffer::Drop() {
  return references.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

void Buffer::Release() {
  if (Drop()) Free();
}

BufferPool::~BufferPool() {
  FreeFrom(0);
}

bool BufferPool::FreeFrom(uint32_t size_class) {
  bool any = false;
  for (; size_class < free_.size(); ++size_class) {
    while (Buffer* const buffer = free_[size_class]) {
      free_[size_class] = buffer->next;
      bytes_.fetch_sub(buffer->capacity, std::memory_order_relaxed);
      buffer->Free();
      any = true;
    }
  }
  return any;
}

void BufferPool::Shrink() {
  if (bytes() <= kLargeBlock) return;
  const std::unique_lock<std::mutex> lock = Lock();
  FreeFrom(ClassOf(kLargeBlock));
  if (has_much()) FreeFrom(0);
}

void BufferPool::Disown(Buffer* buffer) {
  if (std::exchange(buffer->size_class, 0) == 0) return;
  bytes_.fetch_sub(buffer->capacity, std::memory_order_relaxed);
  buffer->Disown();
}

std::unique_lock<std::mutex> BufferPool::Lock() {
  return shared_ ? std::unique_lock<std::mutex>(mutex_) : std::unique_lock<std::mutex>();
}

Buffer* BufferPool::NewBlock(uint32_t size_class) {
  const size_t bytes = size_t{1} << size_class;
  Buffer* fresh = New(bytes);
  if (fresh == nullptr) {  // free the pool's unused blocks, then try again
    const std::unique_lock<std::mutex> lock = Lock();
    if (FreeFrom(0)) fresh = New(bytes);
  }
  if (fresh == nullptr) return nullptr;
  fresh->size_class = size_class;
  bytes_.fetch_add(fresh->capacity, std::memory_order_relaxed);
  return fresh;
}

Buffer* BufferPool::New(size_t bytes) {
  const bool as_block = bytes >= kLargeBlock && stream_ == kNoStream && device_.takes_headers();
  return as_block ? Buffer::NewBlock(device_, bytes) : Buffer::New(device_, stream_, bytes);
}

Buffer* BufferPool::Take(size_t bytes) {
  if (bytes > kLargest) return nullptr;
  if (device_.is_guarded()) return Buffer::New(device_, stream_, bytes);  // of exactly this size
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

// The block was also read on this stream, so its own stream must wait for that before the block is freed there.
void BufferPool::PutSlowly(Buffer* buffer) {
  if (buffer->stream != stream_) (void)Order(device_, stream_, buffer->stream);
  if (!buffer->sole() && !buffer->Drop()) return;
  if (buffer->size_class == 0 || buffer->stream != stream_) return buffer->Free();  // a plugin's, now an output
  const std::unique_lock<std::mutex> lock = Lock();
  buffer->next = free_[buffer->size_class];
  free_[buffer->size_class] = buffer;
}

namespace {

opsrun_str* Strings(Buffer& buffer) {
  return static_cast<opsrun_str*>(buffer.data());
}

// Charges memory that elements own outside the block to the device's limit.
class OwnedBytes {
 public:
  explicit OwnedBytes(const Buffer& buffer) : device_(*buffer.device) {}
  bool Reserve(size_t bytes) const { return device_.Reserve(bytes); }
  void GiveBack(size_t bytes) const { device_.GiveBack(bytes); }

 private:
  Device& device_;
};

int32_t Assign(const OwnedBytes& owned, opsrun_str& slot, std::string_view text) {
  if (!owned.Reserve(text.size())) return OPSRUN_RESOURCE_EXHAUSTED;
  const size_t before = slot.size;
  const bool assigned = AssignSlot(slot, text);
  owned.GiveBack(assigned ? before : text.size());
  return assigned ? OPSRUN_OK : OPSRUN_RESOURCE_EXHAUSTED;
}

bool CopyStrings(Buffer& to, const opsrun_str* from, size_t count) {
  const OwnedBytes owned(to);
  for (size_t i = 0; i < count; ++i) {
    if (Assign(owned, Strings(to)[i], SlotText(from[i])) != OPSRUN_OK) return false;
  }
  return true;
}

void CopyResources(Buffer& to, const opsrun_resource* const* from, size_t count) {
  const auto** slots = static_cast<const opsrun_resource**>(to.data());
  for (size_t i = 0; i < count; ++i) {
    if (from[i] != nullptr && from[i]->host->resource_retain(from[i]) == OPSRUN_OK) slots[i] = from[i];
  }
}

void DropStrings(Buffer& buffer, size_t count) {
  size_t bytes = 0;
  for (size_t i = 0; i < count; ++i) bytes += Strings(buffer)[i].size;
  ClearSlots(Strings(buffer), static_cast<int64_t>(count));
  OwnedBytes(buffer).GiveBack(bytes);
}

void DropResources(Buffer& buffer, size_t count) {
  const auto** slots = static_cast<const opsrun_resource**>(buffer.data());
  for (size_t i = 0; i < count; ++i) {
    if (slots[i] != nullptr) slots[i]->host->resource_release(slots[i]);
  }
}

}  // namespace

Buffer* NewElements(Device& device, Stream stream, DType dtype, size_t bytes) {
  const bool is_private = HasSlots(dtype) && device.is_shared();
  Buffer* buffer = is_private ? Buffer::NewPrivate(device, bytes) : Buffer::New(device, stream, bytes);
  if (buffer == nullptr || !HasSlots(dtype)) return buffer;
  std::memset(buffer->data(), 0, bytes);
  buffer->slots = dtype;
  return buffer;
}

bool CopyElements(Buffer& to, const void* from, size_t bytes) {
  if (bytes == 0) return true;
  switch (to.slots) {
    case DType::kString:
      return CopyStrings(to, static_cast<const opsrun_str*>(from), bytes / sizeof(opsrun_str));
    case DType::kResource:
    case DType::kVariant:
      CopyResources(to, static_cast<const opsrun_resource* const*>(from), bytes / sizeof(void*));
      return true;
    default:
      std::memmove(to.data(), from, bytes);
      return true;
  }
}

int32_t AssignString(Buffer& strings, uint64_t i, std::string_view text) {
  if (strings.slots != DType::kString || i >= strings.capacity / sizeof(opsrun_str)) return OPSRUN_INVALID_ARGUMENT;
  return Assign(OwnedBytes(strings), Strings(strings)[i], text);
}

int32_t SwapStrings(Buffer& strings, uint64_t i, uint64_t j) {
  const size_t count = strings.capacity / sizeof(opsrun_str);
  if (strings.slots != DType::kString || i >= count || j >= count) return OPSRUN_INVALID_ARGUMENT;
  std::swap(Strings(strings)[i], Strings(strings)[j]);
  return OPSRUN_OK;
}

void DropElements(Buffer& buffer) {
  if (buffer.slots == DType::kString) return DropStrings(buffer, buffer.capacity / sizeof(opsrun_str));
  DropResources(buffer, buffer.capacity / sizeof(const opsrun_resource*));
}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(buffer_, other.buffer_);
  std::swap(host_, other.host_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (buffer_ != nullptr) buffer_->Release();
}

SharedMemory SharedMemory::Allocate(const opsrun_host* host, DType dtype, size_t bytes) {
  Buffer* const buffer = NewElements(DeviceOf(host), kNoStream, dtype, bytes);
  return buffer == nullptr ? SharedMemory() : SharedMemory(buffer, ShareHost(host));
}

SharedMemory SharedMemory::CopyOf(const opsrun_tensor& view) {
  SharedMemory copy = Allocate(view.host, DTypeFromNumber(view.dtype), ViewBytes(view));
  if (!copy || !CopyElements(*copy.buffer_, view.data, ViewBytes(view))) return {};
  return copy;
}

SharedMemory SharedMemory::AllocateOn(Device& device, Stream stream, const opsrun_host* host, size_t bytes) {
  Buffer* const buffer = Buffer::New(device, stream, bytes);
  return buffer == nullptr ? SharedMemory() : SharedMemory(buffer, ShareHost(host));
}

void SharedMemory::FreeOn(Stream stream) {
  if (buffer_ != nullptr) buffer_->stream = stream;
}

void* SharedMemory::data() const {
  return buffer_ == nullptr ? nullptr : buffer_->data();
}

}  // namespace opsrun::host
