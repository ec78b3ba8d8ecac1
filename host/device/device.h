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
  virtual const std::string& kind() const = 0;  // as kernels are registered for: "CPU"
  virtual opsrun_device id() const = 0;

  // 64-byte aligned memory, contents undefined; null if there is none. bytes 0 is as bytes 1.
  virtual void* Allocate(size_t bytes) = 0;
  virtual void Free(void* memory) = 0;

  // Counts memory of the CPU that lies outside Allocate's blocks (the bytes of strings) against a limit; false if it is
  // reached.
  virtual bool Reserve(size_t /*bytes*/) { return true; }
  virtual void GiveBack(size_t /*bytes*/) {}

  // Copies between CPU memory and this device's; returns when the bytes are there.
  virtual Status CopyIn(void* device_memory, const void* cpu_memory, size_t bytes) = 0;
  virtual Status CopyOut(void* cpu_memory, const void* device_memory, size_t bytes) = 0;

  // Waits until everything enqueued on the device is done.
  virtual Status Wait() = 0;
};

std::unique_ptr<Device> OpenCpuDevice();

// `device` with a limit on the sum of what is allocated and not freed; what lies above is answered with null.
std::unique_ptr<Device> LimitMemory(std::unique_ptr<Device> device, size_t bytes);

}  // namespace opsrun::host
