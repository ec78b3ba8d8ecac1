// tests/host/run/counting_device.h: a CPU whose memory is counted, and whose allocations can be told to fail.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "host/device/device.h"

namespace opsrun::host {

class CountingDevice final : public Device {
 public:
  void* Allocate(size_t bytes, Stream stream) override {
    if (!Count(bytes)) return nullptr;
    void* const memory = cpu_->Allocate(bytes, stream);
    if (memory != nullptr) std::memset(memory, 0xAB, bytes);  // not the result of an earlier run
    const std::lock_guard<std::mutex> lock(mutex_);
    sizes_[memory] = bytes;
    return memory;
  }
  void Free(void* memory, Stream stream) override {
    if (memory == nullptr) return;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      used_ -= sizes_.at(memory);
      sizes_.erase(memory);
    }
    cpu_->Free(memory, stream);
  }
  bool Reserve(size_t bytes) override { return Count(bytes); }
  void GiveBack(size_t bytes) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    used_ -= bytes;
  }

  // The allocation with this number fails: 0 is the next one; below 0 none does. Returns what was left to count of the
  // number before, which is 0 or less once one has failed.
  int FailIn(int allocations) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(fails_in_, allocations < 0 ? 0 : allocations + 1);
  }
  size_t used() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return used_;
  }

 private:
  bool Count(size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (fails_in_ > 0 && --fails_in_ == 0) return false;
    used_ += bytes;
    return true;
  }

  const std::unique_ptr<Device> cpu_ = OpenCpuDevice();
  std::mutex mutex_;  // guards what follows
  int fails_in_ = 0;  // 0: never
  size_t used_ = 0;   // below 0, that is huge, if more came back than was given out
  std::unordered_map<void*, size_t> sizes_;
};

}  // namespace opsrun::host
