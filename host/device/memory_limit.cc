// host/device/memory_limit.cc: counts the memory of all runs against a limit.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "host/device/device.h"

namespace opsrun::host {
namespace {

class LimitedDevice final : public Device {
 public:
  LimitedDevice(std::unique_ptr<Device> device, size_t limit) : device_(std::move(device)), limit_(limit) {}

  void* Allocate(size_t bytes, Stream stream) override {
    return limit_.Allocate(bytes, [&] { return device_->Allocate(bytes, stream); });
  }
  void Free(void* memory, Stream stream) override {
    if (memory == nullptr) return;
    limit_.Forget(memory);
    device_->Free(memory, stream);
  }
  void* AllocatePrivate(size_t bytes) override {
    return limit_.Allocate(bytes, [&] { return device_->AllocatePrivate(bytes); });
  }
  void FreePrivate(void* memory) override {
    if (memory == nullptr) return;
    limit_.Forget(memory);
    device_->FreePrivate(memory);
  }
  bool AllocateIn(std::shared_ptr<SharedRegion> region) override { return device_->AllocateIn(std::move(region)); }
  bool is_shared() const override { return device_->is_shared(); }
  bool Reserve(size_t bytes) override { return limit_.Reserve(bytes); }
  void GiveBack(size_t bytes) override { limit_.GiveBack(bytes); }

 private:
  const std::unique_ptr<Device> device_;
  MemoryLimit limit_;
};

}  // namespace

bool MemoryLimit::Reserve(size_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (bytes > limit_ - used_) return false;
  used_ += bytes;
  return true;
}

void MemoryLimit::GiveBack(size_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  used_ -= bytes;
}

void* MemoryLimit::Keep(void* memory, size_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (memory == nullptr) {
    used_ -= bytes;
  } else {
    sizes_[memory] = bytes;
  }
  return memory;
}

void MemoryLimit::Forget(void* memory) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto size = sizes_.find(memory);
  used_ -= size->second;
  sizes_.erase(size);
}

std::unique_ptr<Device> LimitMemory(std::unique_ptr<Device> device, size_t bytes) {
  return std::make_unique<LimitedDevice>(std::move(device), bytes);
}

}  // namespace opsrun::host
