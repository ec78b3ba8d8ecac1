// host/device/cuda_device.h: a CUDA card as a device: memory in the order of streams, copies, events.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "host/base/status.h"
#include "host/device/cuda_driver.h"
#include "host/device/device.h"

namespace opsrun::host {

// Card `number`, as the driver counts those that CUDA_VISIBLE_DEVICES leaves. It works in the card's primary context,
// which the CUDA runtimes of plugins use, too. Of a failure, the message says what is missing, and the subject what to
// do. keeper: is asked for memory when the card, or page-locked memory, runs out of it.
Result<std::unique_ptr<Device>> OpenCudaDevice(int number, std::weak_ptr<MemoryKeeper> keeper = {});

// The primary context of a card, and being in it. Private to this room.

// One reference to the primary context, which lives as long as somebody has one.
class CudaPrimaryContext {
 public:
  // error: what the driver answered.
  CudaPrimaryContext(const CudaDriver& driver, int device, int* error) : driver_(driver), device_(device) {
    *error = driver_.cuDevicePrimaryCtxRetain(&context_, device_);
  }
  CudaPrimaryContext(const CudaPrimaryContext&) = delete;
  ~CudaPrimaryContext() {
    if (context_ != nullptr) driver_.cuDevicePrimaryCtxRelease(device_);
  }

  const CudaDriver& driver() const { return driver_; }
  int Push() const { return driver_.cuCtxPushCurrent(context_); }
  void Pop() const {
    CudaContext popped = nullptr;
    driver_.cuCtxPopCurrent(&popped);
  }

 private:
  const CudaDriver driver_;
  const int device_;
  CudaContext context_ = nullptr;
};

// The context is current on this thread as long as this lives; then what was current before is so again.
class InContext {
 public:
  explicit InContext(const CudaPrimaryContext& context) : context_(context), error_(context.Push()) {}
  InContext(const InContext&) = delete;
  ~InContext() {
    if (error_ == kCudaSuccess) context_.Pop();
  }
  int error() const { return error_; }

 private:
  const CudaPrimaryContext& context_;
  const int error_;
};

}  // namespace opsrun::host
