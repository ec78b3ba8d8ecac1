// host/device/cuda_driver.h: the CUDA driver of this machine, looked for when the program runs.
//
// Nothing of CUDA is needed to build opsrun, and a program that never asks for a GPU does not load the driver.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/base/status.h"
#include "host/device/cuda_driver_calls.h"

namespace opsrun::host {

// The driver's calls, each by its name.
struct CudaDriver {
#define OPSRUN_CUDA_POINTER(name, suffix, version, parameters) int(*name) parameters = nullptr;
  OPSRUN_CUDA_CALLS(OPSRUN_CUDA_POINTER)
#undef OPSRUN_CUDA_POINTER

  bool is_double = false;  // the one of the tests, not a driver

  // Loads libcuda.so.1, which is never closed since it starts threads, and initializes it, which takes up to a second.
  // Of a failure, the message says what is missing, and the subject what to do.
  static Result<CudaDriver> Load();

  // OK for CUDA_SUCCESS. Otherwise "what: text (NAME, 700)", RESOURCE_EXHAUSTED if the device is out of memory.
  Status StatusOf(int error, const char* what) const;
};

struct CudaCard {
  std::string name;
  int major = 0, minor = 0;  // compute capability
  uint64_t memory = 0;       // in bytes
};

// What the driver says of itself and of its cards.
struct CudaCards {
  std::string problem;  // why it cannot be used; empty if it can
  int version = 0;      // 13000 for CUDA 13.0
  std::vector<CudaCard> cards;
};
CudaCards LookAtCudaCards();
// " (CUDA_VISIBLE_DEVICES is '1')" for messages that count cards; empty without that variable, by which users hide
// some.
std::string VisibleCardsText();

}  // namespace opsrun::host
