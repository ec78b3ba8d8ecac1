// host/device/cuda_device.h: the CUDA driver, found at run time, and a card as a device: memory in the order of
// streams, copies, events.
//
// Building opsrun requires nothing of CUDA, and a program that does not use a GPU does not load the driver.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/base/status.h"
#include "host/device/cuda_driver_calls.h"
#include "host/device/device.h"

namespace opsrun::host {

// Pointers to the driver's functions, by name.
struct CudaDriver {
#define OPSRUN_CUDA_POINTER(name, suffix, version, parameters) int(*name) parameters = nullptr;
  OPSRUN_CUDA_CALLS(OPSRUN_CUDA_POINTER)
#undef OPSRUN_CUDA_POINTER

  // Loads libcuda.so.1 and initializes it, which takes up to a second. The library is never closed, because it starts
  // threads. On failure, the message says what is missing and the subject what to do.
  static Result<CudaDriver> Load();

  // OK for CUDA_SUCCESS; else "what: text (NAME, 700)", with RESOURCE_EXHAUSTED if the device is out of memory.
  Status StatusOf(int error, const char* what) const;
};

struct CudaCard {
  std::string name;
  int major = 0, minor = 0;  // compute capability
  uint64_t memory = 0;       // in bytes
};

// What the driver reports about itself and its cards.
struct CudaCards {
  std::string problem;  // why it cannot be used, or empty
  int version = 0;      // 13000 for CUDA 13.0
  std::vector<CudaCard> cards;
};
CudaCards LookAtCudaCards();
// For messages that count cards: " (CUDA_VISIBLE_DEVICES is '1')"; empty if that variable, which hides cards, is not
// set.
std::string VisibleCardsText();

// Opens card `number`, as the driver counts those that CUDA_VISIBLE_DEVICES allows, in its primary context, which the
// CUDA runtimes of plugins also use. On failure, the message says what is missing and the subject what to do. limit: in
// bytes of the card's memory, from the call that enqueues an allocation to the one that enqueues its end; 0: none.
// keeper: asked for memory when the card or page-locked memory runs out. cpu: page-locked memory counts as its memory;
// may be null; it must outlive the result.
Result<std::unique_ptr<Device>> OpenCudaDevice(int number, size_t limit = 0, std::weak_ptr<MemoryKeeper> keeper = {},
                                               Device* cpu = nullptr);

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
  int device() const { return device_; }
  CudaContext get() const { return context_; }
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

// Page-locked CPU memory. `context` and `card`, which provides the streams, must outlive it. keeper, cpu: as above.
std::unique_ptr<Device> OpenCudaHostMemory(const CudaPrimaryContext& context, Device& card,
                                           std::weak_ptr<MemoryKeeper> keeper, Device* cpu);

}  // namespace opsrun::host
