// host/cuda/cuda_context.h: the primary context of a card, and being in it. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/cuda/driver.h"

namespace opsrun::host {

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
