// host/device/cpu_device.cc: the machine's own memory.
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <cstring>

#include "host/device/device.h"

namespace opsrun::host {
namespace {

constexpr size_t kAlignment = 64;

class CpuDevice final : public Device {
 public:
  const std::string& name() const override { return name_; }
  const std::string& kind() const override { return kind_; }
  opsrun_device id() const override { return {OPSRUN_DEVICE_CPU, 0}; }

  void* Allocate(size_t bytes) override {
    if (bytes > SIZE_MAX - kAlignment) return nullptr;
    const size_t rounded = (bytes == 0 ? 1 : bytes) + kAlignment - 1;
    return std::aligned_alloc(kAlignment, rounded / kAlignment * kAlignment);
  }
  void Free(void* memory) override { std::free(memory); }

  Status CopyIn(void* device_memory, const void* cpu_memory, size_t bytes) override {
    if (bytes != 0) std::memcpy(device_memory, cpu_memory, bytes);
    return OkStatus();
  }
  Status CopyOut(void* cpu_memory, const void* device_memory, size_t bytes) override {
    return CopyIn(cpu_memory, device_memory, bytes);
  }
  Status Wait() override { return OkStatus(); }

 private:
  const std::string name_ = "cpu";
  const std::string kind_ = "CPU";
};

}  // namespace

std::unique_ptr<Device> OpenCpuDevice() {
  return std::make_unique<CpuDevice>();
}

}  // namespace opsrun::host
