// tests/graphs/fake_cuda_driver.cc: a libcuda.so.1 with two cards that can be opened but nothing else, or that fails:
// cuInit returns FAKE_CUDA_INIT. The other calls are in fake_cuda_rest.cc.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>

#include "host/device/cuda_driver_calls.h"

using namespace opsrun::host;

namespace {

int AttributeOf(int attribute, int device) {
  switch (attribute) {
    case kCudaMajor:
      return device + 1;
    case kCudaMinor:
      return 6;
    default:
      return 0;
  }
}

}  // namespace

extern "C" {

int cuInit(unsigned flags) {
  const char* answer = std::getenv("FAKE_CUDA_INIT");
  return flags != 0 ? 1 : answer == nullptr ? 0 : std::atoi(answer);
}
int cuDriverGetVersion(int* version) {
  return *version = 12040, 0;
}
int cuGetErrorName(int, const char** name) {
  return *name = "CUDA_ERROR_FAKE", 0;
}
int cuGetErrorString(int, const char** text) {
  return *text = "the driver is a fake", 0;
}
int cuDeviceGetCount(int* count) {
  return *count = 2, 0;
}
int cuDeviceGet(int* device, int index) {
  return *device = index + 7, 0;
}
int cuDeviceGetName(char* name, int size, int device) {
  return std::snprintf(name, static_cast<size_t>(size), "Card of handle %d", device), 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  return *value = AttributeOf(attribute, device), 0;
}
int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  return *bytes = static_cast<size_t>(device) << 30, 0;
}
int cuDevicePrimaryCtxRetain(CudaContext* context, int) {
  return *context = reinterpret_cast<CudaContext>(context), 0;
}
int cuDevicePrimaryCtxRelease_v2(int) {
  return 0;
}
int cuCtxPushCurrent_v2(CudaContext) {
  return 0;
}
int cuCtxPopCurrent_v2(CudaContext*) {
  return 0;
}

}  // extern "C"
