// host/device/block_keeping_device.cc: a CPU that keeps idle blocks, and gives up what it can before it is out of
// memory.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "host/device/block_cache.h"
#include "host/device/device.h"

namespace opsrun::host {
namespace {

class BlockKeepingDevice final : public Device {
 public:
  BlockKeepingDevice(std::unique_ptr<Device> device, bool exact, std::weak_ptr<MemoryKeeper> keeper)
      : device_(std::move(device)), exact_(exact), keeper_(std::move(keeper)), blocks_(*device_) {}

  const std::string& name() const override { return device_->name(); }
  const std::string& kind() const override { return device_->kind(); }
  opsrun_device id() const override { return device_->id(); }

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

  Status Copy(Direction direction, void* to, const void* from, size_t bytes, Stream stream) override {
    return device_->Copy(direction, to, from, bytes, stream);
  }

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

}  // namespace opsrun::host
