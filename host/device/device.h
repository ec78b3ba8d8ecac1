// host/device/device.h: where tensors live and kernels run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "host/base/status.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// Memory of one device. Every method may be called from any thread.
class Device {
 public:
  virtual ~Device() = default;

  virtual const std::string& name() const = 0;  // as in graph files: "cpu"
  virtual const std::string& kind() const = 0;  // the device type of kernel registrations: "CPU"
  virtual opsrun_device id() const = 0;

  // 64-byte aligned memory with undefined contents; null if out of memory. 0 bytes is treated as 1 byte.
  virtual void* Allocate(size_t bytes) = 0;
  virtual void Free(void* memory) = 0;

  // Counts memory of the CPU that lies outside blocks of Allocate (the bytes of strings) against a limit; false if the
  // limit is reached.
  virtual bool Reserve(size_t /*bytes*/) { return true; }
  virtual void GiveBack(size_t /*bytes*/) {}

  // Copies between CPU memory and the memory of this device. Returns when the copy is complete.
  virtual Status CopyIn(void* device_memory, const void* cpu_memory, size_t bytes) = 0;
  virtual Status CopyOut(void* cpu_memory, const void* device_memory, size_t bytes) = 0;

  // Waits until everything enqueued on the device is done.
  virtual Status Wait() = 0;
};

std::unique_ptr<Device> OpenCpuDevice();

// Wraps `device` with a limit on the total of allocated memory; allocations above it return null.
std::unique_ptr<Device> LimitMemory(std::unique_ptr<Device> device, size_t bytes);

}  // namespace opsrun::host
