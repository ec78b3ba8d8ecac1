// SPDX-License-Identifier: Apache-2.0
#include "host/device/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "host/base/large_pages.h"
#include "host/device/block_cache.h"

namespace opsrun::host {

const std::string& Device::name() const {
  static const std::string name = kCpuName;
  return name;
}

const std::string& Device::kind() const {
  static const std::string kind = kCpuKind;
  return kind;
}

// Tensors do not overlap, but a kernel may set an output to memory that contains it.
Status Device::Copy(Direction, void* to, const void* from, size_t bytes, Stream) {
  if (bytes != 0) std::memmove(to, from, bytes);
  return OkStatus();
}

Status Order(Device& device, Stream first, Stream then) {
  if (first == then) return OkStatus();
  const Result<Event> event = device.TakeEvent();
  if (!event.ok()) return event.status();
  Status status = device.Record(*event, first);
  if (status.ok()) status = device.Follow(then, *event);
  device.GiveEvent(*event);
  return status;
}

namespace {

constexpr size_t kAlignment = 64;

class CpuDevice final : public Device {
 public:
  // malloc instead of aligned_alloc, which bypasses glibc's cache of small blocks: allocating results is most of the
  // cost of calling a small op. The address of the malloc block is stored in front of the returned memory.
  void* Allocate(size_t bytes, Stream) override {
    if (bytes > SIZE_MAX - 2 * kAlignment) return nullptr;
    void* const block = std::malloc(bytes + kAlignment + sizeof(void*));
    if (block == nullptr) return nullptr;
    UseLargePages(block, bytes);
    const auto begin = reinterpret_cast<uintptr_t>(block) + sizeof(void*);
    auto* const aligned = reinterpret_cast<void*>((begin + kAlignment - 1) / kAlignment * kAlignment);
    static_cast<void**>(aligned)[-1] = block;
    return aligned;
  }
  void Free(void* memory, Stream) override {
    if (memory != nullptr) std::free(static_cast<void**>(memory)[-1]);
  }
};

}  // namespace

std::unique_ptr<Device> OpenCpuDevice() {
  return std::make_unique<CpuDevice>();
}

// Keeps idle blocks, and frees what it can when memory runs out.

namespace {

class BlockKeepingDevice final : public Device {
 public:
  BlockKeepingDevice(std::unique_ptr<Device> device, bool exact, std::weak_ptr<MemoryKeeper> keeper)
      : device_(std::move(device)), exact_(exact), keeper_(std::move(keeper)), blocks_(*device_) {}

  void* Allocate(size_t bytes, Stream stream) override {
    return GetOrTrim(*this, keeper_, [&] { return device_->Allocate(bytes, stream); });
  }
  void Free(void* memory, Stream stream) override { device_->Free(memory, stream); }
  void* TakeBlock(size_t bytes, size_t most, const void* wish, Stream stream) override {
    if (exact_) most = std::min(most, bytes + bytes / 8);
    return GetOrTrim(*this, keeper_, [&] { return blocks_.Take(bytes, most, wish, stream); });
  }
  void GiveBlock(void* block) override { blocks_.Give(block); }
  void DisownBlock(void* block) override { blocks_.Disown(block); }
  bool Trim() override { return blocks_.Trim(); }

  bool Reserve(size_t bytes) override {
    return GetOrTrim(*this, keeper_, [&] { return device_->Reserve(bytes); });
  }
  void GiveBack(size_t bytes) override { device_->GiveBack(bytes); }

 private:
  const std::unique_ptr<Device> device_;
  const bool exact_;
  const std::weak_ptr<MemoryKeeper> keeper_;
  BlockCache blocks_;
};

}  // namespace

std::unique_ptr<Device> KeepBlocks(std::unique_ptr<Device> cpu, bool exact, std::weak_ptr<MemoryKeeper> keeper) {
  return std::make_unique<BlockKeepingDevice>(std::move(cpu), exact, std::move(keeper));
}

// Limits the memory in use at a time.

namespace {

class LimitedDevice final : public Device {
 public:
  LimitedDevice(std::unique_ptr<Device> device, size_t limit) : device_(std::move(device)), limit_(limit) {}

  void* Allocate(size_t bytes, Stream stream) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (bytes > limit_ - used_) return nullptr;
    void* memory = device_->Allocate(bytes, stream);
    if (memory == nullptr) return nullptr;
    used_ += bytes;
    sizes_[memory] = bytes;
    return memory;
  }
  void Free(void* memory, Stream stream) override {
    if (memory == nullptr) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto size = sizes_.find(memory);
    used_ -= size->second;
    sizes_.erase(size);
    device_->Free(memory, stream);
  }
  bool Reserve(size_t bytes) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (bytes > limit_ - used_) return false;
    used_ += bytes;
    return true;
  }
  void GiveBack(size_t bytes) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    used_ -= bytes;
  }

 private:
  const std::unique_ptr<Device> device_;
  const size_t limit_;
  std::mutex mutex_;  // guards the members below
  size_t used_ = 0;
  std::unordered_map<void*, size_t> sizes_;  // kept separately, because the memory may not be this machine's
};

}  // namespace

std::unique_ptr<Device> LimitMemory(std::unique_ptr<Device> device, size_t bytes) {
  return std::make_unique<LimitedDevice>(std::move(device), bytes);
}

namespace {

// The number after the colon; 0 without a colon, -1 if it is not a number.
int NumberOf(std::string_view name, size_t colon) {
  if (colon == std::string_view::npos) return 0;
  const std::string_view digits = name.substr(colon + 1);
  int number = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() ? number : -1;
}

}  // namespace

Devices::Devices(std::unique_ptr<Device> cpu) : cpu_(std::move(cpu)) {}

void Devices::AddKind(const std::string& kind, Opener open) {
  kinds_[kind].open = std::move(open);
}

Result<Device*> Devices::Find(std::string_view name) {
  if (name == kCpuName) return cpu_.get();
  const size_t colon = name.find(':');
  const int number = NumberOf(name, colon);
  const auto kind = kinds_.find(name.substr(0, colon));
  if (kind == kinds_.end() || number < 0) return InvalidArgument(fmt::format("'{}' is not the name of a device", name));
  const std::lock_guard<std::mutex> lock(mutex_);
  auto device = kind->second.opened.find(number);
  if (device == kind->second.opened.end()) {
    device = kind->second.opened.emplace(number, kind->second.open(number)).first;
  }
  if (!device->second.ok()) return device->second.status();
  return device->second->get();
}

void Devices::Trim() {
  cpu_->Trim();
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [name, kind] : kinds_) {
    for (const auto& [number, device] : kind.opened) {
      if (device.ok()) (*device)->Trim();
    }
  }
}

std::string Devices::Names() const {
  std::string names = kCpuName;
  for (const auto& [kind, devices] : kinds_) names += fmt::format(", {0}, {0}:N", kind);
  return names;
}

}  // namespace opsrun::host
