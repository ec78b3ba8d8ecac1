// host/device/limited_device.cc: a device that gives out no more than so much memory at a time.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "host/device/device.h"

namespace opsrun::host {
namespace {

class LimitedDevice final : public Device {
 public:
  LimitedDevice(std::unique_ptr<Device> device, size_t limit) : device_(std::move(device)), limit_(limit) {}

  const std::string& name() const override { return device_->name(); }
  const std::string& kind() const override { return device_->kind(); }
  opsrun_device id() const override { return device_->id(); }

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

  Status Copy(Direction direction, void* to, const void* from, size_t bytes, Stream stream) override {
    return device_->Copy(direction, to, from, bytes, stream);
  }

 private:
  const std::unique_ptr<Device> device_;
  const size_t limit_;
  std::mutex mutex_;  // guards what follows
  size_t used_ = 0;
  std::unordered_map<void*, size_t> sizes_;  // beside the memory, which need not be this machine's
};

}  // namespace

std::unique_ptr<Device> LimitMemory(std::unique_ptr<Device> device, size_t bytes) {
  return std::make_unique<LimitedDevice>(std::move(device), bytes);
}

}  // namespace opsrun::host
