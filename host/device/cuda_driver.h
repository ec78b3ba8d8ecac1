// host/device/cuda_driver.h: finds the CUDA driver of this machine at run time.
//
// Building opsrun requires nothing of CUDA, and a program that does not use a GPU does not load the driver.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/base/status.h"
#include "host/device/cuda_driver_calls.h"

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

}  // namespace opsrun::host
