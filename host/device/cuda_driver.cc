// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fmt/format.h>

#include "host/base/environment.h"
#include "host/device/cuda_device.h"

namespace opsrun::host {
namespace {

constexpr char kInstallDriver[] = "install NVIDIA's driver, or run on the CPU";
constexpr char kSeeCards[] = "see what nvidia-smi says, or run on the CPU";
constexpr char kNewerDriver[] = "install a driver for CUDA 11.4 or later, or run on the CPU";

// Finds functions by name and version. In a driver with several versions, the name without a suffix is not always the
// one declared here, so asks for the version of our declaration, never for the newest.
class Resolver {
 public:
  explicit Resolver(void* library)
      : library_(library),
        by_version_2_(reinterpret_cast<ByVersion2>(dlsym(library, "cuGetProcAddress_v2"))),
        by_version_(reinterpret_cast<ByVersion>(dlsym(library, "cuGetProcAddress"))) {}

  void* Find(const char* name, const char* symbol, int version) const {
    void* found = nullptr;
    if (by_version_2_ != nullptr && by_version_2_(name, &found, version, 0, nullptr) == kCudaSuccess &&
        found != nullptr)
      return found;
    if (by_version_2_ == nullptr && by_version_ != nullptr && by_version_(name, &found, version, 0) == kCudaSuccess &&
        found != nullptr)
      return found;
    return dlsym(library_, symbol);
  }

 private:
  using ByVersion2 = int (*)(const char* name, void** function, int version, uint64_t flags, int* status);
  using ByVersion = int (*)(const char* name, void** function, int version, uint64_t flags);

  void* const library_;
  const ByVersion2 by_version_2_;  // CUDA 12.0 or later
  const ByVersion by_version_;     // CUDA 11.3 or later
};

// Returns the first missing function, or null.
const char* FindCalls(const Resolver& resolver, CudaDriver& driver) {
  const char* missing = nullptr;
#define OPSRUN_CUDA_FIND(name, suffix, version, parameters)                                            \
  driver.name = reinterpret_cast<decltype(driver.name)>(resolver.Find(#name, #name #suffix, version)); \
  if (driver.name == nullptr && missing == nullptr) missing = #name;
  OPSRUN_CUDA_CALLS(OPSRUN_CUDA_FIND)
#undef OPSRUN_CUDA_FIND
  return missing;
}

Status Unavailable(std::string message, const char* remedy) {
  return {OPSRUN_UNAVAILABLE, std::move(message), remedy};
}

// A driver may be too old to report its version.
Status TooOld(const CudaDriver& driver, const char* missing) {
  int version = 0;
  if (driver.cuDriverGetVersion != nullptr) driver.cuDriverGetVersion(&version);
  const std::string which = version == 0 ? "" : fmt::format(" (CUDA {}.{})", version / 1000, version % 1000 / 10);
  return Unavailable(
      fmt::format("the CUDA driver is too old{}: CUDA 11.4 or later is needed, and it has no {}", which, missing),
      kNewerDriver);
}

}  // namespace

Result<CudaDriver> CudaDriver::Load() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Unavailable("no CUDA driver: libcuda.so.1 was not found", kInstallDriver);
  CudaDriver driver;
  if (const char* missing = FindCalls(Resolver(library), driver)) return TooOld(driver, missing);
  const int error = driver.cuInit(0);
  if (error == kCudaStub) {
    return Unavailable("no CUDA driver: libcuda.so.1 is the stub that programs are linked with", kInstallDriver);
  }
  if (error == kCudaNoDevice) return Unavailable("the CUDA driver finds no GPU" + VisibleCardsText(), kSeeCards);
  if (error != kCudaSuccess) {
    const Status status = driver.StatusOf(error, "cuInit failed");
    return Unavailable(fmt::format("the CUDA driver cannot be used: {}", status.message()), kInstallDriver);
  }
  return driver;
}

Status CudaDriver::StatusOf(int error, const char* what) const {
  if (error == kCudaSuccess) return OkStatus();
  const char *name = nullptr, *text = nullptr;
  cuGetErrorName(error, &name);
  cuGetErrorString(error, &text);
  return {error == kCudaOutOfMemory ? OPSRUN_RESOURCE_EXHAUSTED : OPSRUN_INTERNAL,
          fmt::format("{}: {} ({}, {})", what, text == nullptr ? "unknown" : text, name == nullptr ? "no name" : name,
                      error)};
}

std::string VisibleCardsText() {
  const char* const visible = Environment("CUDA_VISIBLE_DEVICES");
  return visible == nullptr ? "" : fmt::format(" (CUDA_VISIBLE_DEVICES is '{}')", visible);
}

CudaCards LookAtCudaCards() {
  CudaCards found;
  const Result<CudaDriver> driver = CudaDriver::Load();
  if (!driver.ok()) {
    found.problem = driver.status().message();
    return found;
  }
  driver->cuDriverGetVersion(&found.version);
  int count = 0;
  driver->cuDeviceGetCount(&count);
  for (int i = 0; i < count; ++i) {
    CudaCard& card = found.cards.emplace_back();
    char name[256] = "";
    int device = 0;
    size_t memory = 0;
    driver->cuDeviceGet(&device, i);
    driver->cuDeviceGetName(name, sizeof(name) - 1, device);
    driver->cuDeviceGetAttribute(&card.major, kCudaMajor, device);
    driver->cuDeviceGetAttribute(&card.minor, kCudaMinor, device);
    driver->cuDeviceTotalMem(&memory, device);
    card.name = name;
    card.memory = memory;
  }
  return found;
}

}  // namespace opsrun::host
