// host/device/cuda_driver.cc: the driver API's functions by their names, and CUdevice as an int (CUDA Driver API).
// SPDX-License-Identifier: Apache-2.0
#include "host/device/cuda_driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace opsrun::host {
namespace {

constexpr int kCapabilityMajor = 75, kCapabilityMinor = 76;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_*

// The functions that are needed here; null if the library lacks one.
struct DriverFunctions {
  explicit DriverFunctions(void* library) {
    Find(library, "cuInit", init);
    Find(library, "cuDriverGetVersion", version);
    Find(library, "cuDeviceGetCount", count);
    Find(library, "cuDeviceGet", get);
    Find(library, "cuDeviceGetName", name);
    Find(library, "cuDeviceGetAttribute", attribute);
    Find(library, "cuDeviceTotalMem_v2", memory);
  }
  bool complete() const { return init && version && count && get && name && attribute && memory; }

  int (*init)(unsigned) = nullptr;
  int (*version)(int*) = nullptr;
  int (*count)(int*) = nullptr;
  int (*get)(int*, int) = nullptr;
  int (*name)(char*, int, int) = nullptr;
  int (*attribute)(int*, int, int) = nullptr;
  int (*memory)(size_t*, int) = nullptr;

 private:
  template <typename Function>
  static void Find(void* library, const char* symbol, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, symbol));
  }
};

CudaDriver::Card CardAt(const DriverFunctions& driver, int index) {
  CudaDriver::Card card;
  char name[256] = "";
  int device = 0;
  size_t memory = 0;
  driver.get(&device, index);
  driver.name(name, sizeof(name) - 1, device);
  driver.attribute(&card.major, kCapabilityMajor, device);
  driver.attribute(&card.minor, kCapabilityMinor, device);
  driver.memory(&memory, device);
  card.name = name;
  card.memory = memory;
  return card;
}

}  // namespace

CudaDriver LookAtCudaDriver() {
  CudaDriver found;
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);  // never closed: it starts threads
  if (library == nullptr) {
    found.problem = "no CUDA driver: libcuda.so.1 was not found";
    return found;
  }
  const DriverFunctions driver(library);
  if (!driver.complete()) {
    found.problem = "the CUDA driver is too old: it lacks functions of CUDA 4";
    return found;
  }
  driver.version(&found.version);
  if (const int error = driver.init(0); error != 0) {
    found.problem = fmt::format("the CUDA driver cannot be used: cuInit failed with error {}", error);
    return found;
  }
  int count = 0;
  driver.count(&count);
  for (int i = 0; i < count; ++i) found.cards.push_back(CardAt(driver, i));
  return found;
}

}  // namespace opsrun::host
