// tests/graphs/fake_cuda_rest.cc: the calls of the driver that fake_cuda_driver.cc does not have: they do nothing and
// fail.
// SPDX-License-Identifier: Apache-2.0
#include "host/device/cuda_driver_calls.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
using namespace opsrun::host;

extern "C" {
#define FAKE_CUDA_REST(name, suffix, version, parameters) \
  __attribute__((weak)) int name##suffix parameters {     \
    return 801;                                           \
  }
OPSRUN_CUDA_CALLS(FAKE_CUDA_REST)
}
