// SPDX-License-Identifier: Apache-2.0
#include "host/device/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "host/base/text.h"
#include "host/tensor/tensor.h"

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
  void* AllocatePrivate(size_t bytes) override {
    return GetOrTrim(*this, keeper_, [&] { return device_->AllocatePrivate(bytes); });
  }
  void FreePrivate(void* memory) override { device_->FreePrivate(memory); }
  bool AllocateIn(std::shared_ptr<SharedRegion> region) override { return device_->AllocateIn(std::move(region)); }
  bool is_shared() const override { return device_->is_shared(); }
  void* TakeBlock(size_t bytes, size_t most, const void* wish, Stream stream) override {
    if (exact_) most = std::min(most, MostUnderLimit(bytes));
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

Devices::Devices(std::unique_ptr<Device> cpu) : cpu_(std::move(cpu)) {}

void Devices::AddKind(const std::string& kind, Opener open) {
  kinds_[kind].open = std::move(open);
}

namespace {

// The number of "gpu:1"; -1 if it is not one.
int NumberOf(std::string_view name) {
  const size_t colon = name.find(':');
  return colon == std::string_view::npos ? 0 : ParseInteger<int>(name.substr(colon + 1)).value_or(-1);
}

}  // namespace

bool Devices::IsName(std::string_view name) const {
  return name == kCpuName || (kinds_.find(name.substr(0, name.find(':'))) != kinds_.end() && NumberOf(name) >= 0);
}

Result<Device*> Devices::Find(std::string_view name) {
  if (!IsName(name)) return InvalidArgument(fmt::format("'{}' is not the name of a device", name));
  if (name == kCpuName) return cpu_.get();
  const int number = NumberOf(name);
  const auto kind = kinds_.find(name.substr(0, name.find(':')));
  const std::lock_guard<std::mutex> lock(mutex_);
  auto device = kind->second.opened.find(number);
  if (device == kind->second.opened.end()) {
    device = kind->second.opened.emplace(number, kind->second.open(number)).first;
  }
  if (!device->second.ok()) return device->second.status();
  return device->second->get();
}

Result<Device*> Devices::Find(const opsrun_device& device) {
  constexpr int32_t kPinned = 3;  // kDLCUDAHost
  const bool is_cpu = device.type == OPSRUN_DEVICE_CPU || device.type == 0;
  if (device.type == kPinned || (is_cpu && device.id == 0)) return cpu_.get();
  if (device.type == OPSRUN_DEVICE_CUDA && device.id >= 0) return Find(fmt::format("gpu:{}", device.id));
  return Status(OPSRUN_INVALID_ARGUMENT, fmt::format("there is no device of type {}, {}", device.type, device.id),
                "use the CPU (type 1, 0) or CUDA (type 2)");
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

namespace {

constexpr uint32_t kWindow = 256;  // number of blocks taken after which a window ends

size_t WithRoom(size_t bytes) {
  return bytes + bytes / 8;
}

}  // namespace

void* BlockCache::Take(size_t bytes, size_t most, const void* wish, Stream stream) {
  bytes = std::max<size_t>(bytes, 1);
  std::vector<void*> too_small;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (void* const idle = TakeIdle(bytes, most, wish)) return idle;
    too_small = TakeOut(bytes);
  }
  FreeAll(too_small);
  void* const memory = Make(bytes, stream);
  if (memory == nullptr) return nullptr;
  const std::lock_guard<std::mutex> lock(mutex_);
  total_ += bytes;
  Count(blocks_[memory] = {bytes}, bytes);
  return memory;
}

// Waits until the memory is available, because any stream may use it from now on.
void* BlockCache::Make(size_t bytes, Stream stream) {
  void* const memory = device_.Allocate(bytes, stream);
  if (memory == nullptr || device_.Drain(stream).ok()) return memory;
  device_.Free(memory, stream);
  return nullptr;
}

void BlockCache::Count(Block& taken, size_t bytes) {
  if (++taken_ == kWindow) {
    taken_ = 0;
    most_used_before_ = std::exchange(most_used_, used_);
  }
  taken.asked = bytes;
  used_ += bytes;
  most_used_ = std::max(most_used_, used_);
}

void* BlockCache::TakeIdle(size_t bytes, size_t most, const void* wish) {
  const auto fits = [&](size_t size) { return size >= bytes && size <= std::max(bytes, most); };
  auto found = blocks_.find(const_cast<void*>(wish));
  if (found == blocks_.end() || found->second.asked != 0 || !fits(found->second.size)) {
    const auto smallest = idle_.lower_bound(bytes);
    if (smallest == idle_.end() || !fits(smallest->first)) return nullptr;
    found = blocks_.find(smallest->second);
  }
  EndIdle(found->second);
  Count(found->second, bytes);
  return found->first;
}

void BlockCache::EndIdle(Block& block) {
  ages_.erase(block.age);
  idle_.erase(block.by_size);
}

void BlockCache::Give(void* memory) {
  if (memory == nullptr) return;
  std::vector<void*> too_many;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Block& block = blocks_.at(memory);
    used_ -= std::exchange(block.asked, 0);
    block.age = ages_.insert(ages_.end(), memory);
    block.by_size = idle_.emplace(block.size, memory);
    too_many = TakeOut(0);
  }
  FreeAll(too_many);
}

void BlockCache::Disown(void* memory) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto block = blocks_.find(memory);
  total_ -= block->second.size;
  used_ -= block->second.asked;
  blocks_.erase(block);
}

// Takes out the oldest idle blocks until the others, with bytes_to_come more, are within the bound.
std::vector<void*> BlockCache::TakeOut(size_t bytes_to_come) {
  const size_t bound = WithRoom(std::max({most_used_, most_used_before_, used_ + bytes_to_come}));
  std::vector<void*> out;
  while (!ages_.empty() && total_ + bytes_to_come > bound) {
    const auto oldest = blocks_.find(ages_.front());
    total_ -= oldest->second.size;
    out.push_back(oldest->first);
    EndIdle(oldest->second);
    blocks_.erase(oldest);
  }
  return out;
}

// Call without the lock: freeing a large block may take long. Uses its own stream, because others may be in use or
// capturing.
void BlockCache::FreeAll(const std::vector<void*>& blocks) {
  if (blocks.empty()) return;
  const OwnStream own(device_);
  for (void* const block : blocks) device_.Free(block, own.stream);
  if (own.stream != kNoStream) (void)device_.Drain(own.stream);
}

bool BlockCache::Trim() {
  std::vector<void*> all;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    all.assign(ages_.begin(), ages_.end());
    for (void* const memory : all) total_ -= blocks_.at(memory).size;
    for (void* const memory : all) blocks_.erase(memory);
    ages_.clear();
    idle_.clear();
    most_used_ = used_;
    most_used_before_ = 0;
  }
  FreeAll(all);
  return !all.empty();
}

size_t BlockCache::idle_bytes() {
  const std::lock_guard<std::mutex> lock(mutex_);
  size_t bytes = 0;
  for (const auto& [size, memory] : idle_) bytes += size;
  return bytes;
}

}  // namespace opsrun::host
