// host/device/cpu_device.cc: the machine's own memory.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "host/base/large_pages.h"
#include "host/device/device.h"

namespace opsrun::host {
namespace {

constexpr size_t kAlignment = 64;

class CpuDevice final : public Device {
 public:
  const std::string& name() const override { return name_; }
  const std::string& kind() const override { return kind_; }
  opsrun_device id() const override { return {OPSRUN_DEVICE_CPU, 0}; }

  // malloc and not aligned_alloc, which passes by glibc's cache of small blocks: the results of small ops are most of
  // what a call of one costs. The block's own address stands in front of what is given out.
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

  // The memory of tensors does not overlap, but a kernel may set an output to what it lies in.
  Status Copy(Direction, void* to, const void* from, size_t bytes, Stream) override {
    if (bytes != 0) std::memmove(to, from, bytes);
    return OkStatus();
  }

 private:
  const std::string name_ = kCpuName;
  const std::string kind_ = kCpuKind;
};

}  // namespace

std::unique_ptr<Device> OpenCpuDevice() {
  return std::make_unique<CpuDevice>();
}

}  // namespace opsrun::host
