// host/device/cuda_driver.h: what the CUDA driver of this machine says about itself and its cards.
//
// The driver is looked for when the program runs; nothing of CUDA is needed to build opsrun.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace opsrun::host {

struct CudaDriver {
  struct Card {
    std::string name;
    int major = 0, minor = 0;  // compute capability
    uint64_t memory = 0;       // in bytes
  };

  std::string problem;  // why it cannot be used; empty if it can
  int version = 0;      // 13000 for CUDA 13.0
  std::vector<Card> cards;
};

// Loads libcuda.so.1 and initializes it, which takes up to a second.
CudaDriver LookAtCudaDriver();

}  // namespace opsrun::host
