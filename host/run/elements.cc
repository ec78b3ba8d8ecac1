// host/run/elements.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/run/elements.h"

#include <cstring>
#include <utility>

#include "host/tensor/slots.h"

namespace opsrun::host {
namespace {

opsrun_str* Strings(Buffer& buffer) {
  return static_cast<opsrun_str*>(buffer.data());
}

// Counts bytes that lie outside the block itself against the device's limit.
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
  Buffer* buffer = Buffer::New(device, stream, bytes);
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

}  // namespace opsrun::host
