// host/plan/resident_constant.h: a constant of a plan in the memory of a device, where all lanes of the plan read it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include "host/base/status.h"
#include "host/device/device.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// Takes no memory before a lane asks for it: many plans are made to be looked at. Any thread. The device must outlive
// it.
class ResidentConstant {
 public:
  ResidentConstant(Device& device, Tensor constant) : device_(device), constant_(std::move(constant)) {}
  ResidentConstant(const ResidentConstant&) = delete;
  // No lane reads it any more.
  ~ResidentConstant();

  const Tensor& constant() const { return constant_; }
  // Copies it if that has not been done, and waits for that. RESOURCE_EXHAUSTED: the device has not enough memory.
  Result<void*> Memory() const;

 private:
  Status Copy() const;

  Device& device_;
  const Tensor constant_;
  mutable std::mutex mutex_;  // guards what follows
  mutable void* memory_ = nullptr;
};

}  // namespace opsrun::host
