// host/device/cuda_device.h: a CUDA card as a device: memory in the order of streams, copies, events.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "host/base/status.h"
#include "host/device/cuda_driver.h"
#include "host/device/device.h"

namespace opsrun::host {

// Opens card `number`, as the driver counts those that CUDA_VISIBLE_DEVICES allows, in its primary context, which the
// CUDA runtimes of plugins also use. On failure, the message says what is missing and the subject what to do. keeper:
// asked for memory when the card or page-locked memory runs out.
Result<std::unique_ptr<Device>> OpenCudaDevice(int number, std::weak_ptr<MemoryKeeper> keeper = {});

// A reference to a card's primary context, which lives as long as there are references to it. Private to this library.
class CudaPrimaryContext {
 public:
  // error: set to the driver's result.
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

// Makes the context current on this thread for the lifetime of this object, and then restores the previous one.
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

// Page-locked CPU memory. `context` and `card`, which provides the streams, must outlive it. keeper: as above.
std::unique_ptr<Device> OpenCudaHostMemory(const CudaPrimaryContext& context, Device& card,
                                           std::weak_ptr<MemoryKeeper> keeper);

}  // namespace opsrun::host
