// plugins/math_ops/gpu_blas_library.cc
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "gpu_blas_library.h"

#include <dlfcn.h>

namespace math_ops {

std::unique_ptr<const GpuBlasLibrary> GpuBlasLibrary::Open(int version, std::string* problem) {
  auto library = std::make_unique<GpuBlasLibrary>();
  library->name_ = "libcublas.so." + std::to_string(version);
  void* const opened = dlopen(library->name_.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened != nullptr) {
    if (!library->FindCalls(opened, problem)) library.reset();
    return library;
  }
  const std::string why = dlerror();
  // If a dependency of the library is missing, the message begins with the name of the dependency.
  if (why.rfind(library->name_ + ": cannot open shared object file", 0) != 0) *problem = why;
  return nullptr;
}

bool GpuBlasLibrary::FindCalls(void* library, std::string* problem) {
#define MATH_OPS_CUBLAS_FIND(call, parameters)                    \
  call = reinterpret_cast<decltype(call)>(dlsym(library, #call)); \
  if (call == nullptr) return *problem = name_ + " has no " #call, false;
  MATH_OPS_CUBLAS_CALLS(MATH_OPS_CUBLAS_FIND)
#undef MATH_OPS_CUBLAS_FIND
  return true;
}

namespace {

const char* NameOf(int status) {
  switch (status) {
    case kCublasNotInitialized:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case kCublasAllocFailed:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case kCublasInvalidValue:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case kCublasArchMismatch:
      return "CUBLAS_STATUS_ARCH_MISMATCH";
    case kCublasMappingError:
      return "CUBLAS_STATUS_MAPPING_ERROR";
    case kCublasExecutionFailed:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case kCublasInternalError:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
    case kCublasNotSupported:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    case kCublasLicenseError:
      return "CUBLAS_STATUS_LICENSE_ERROR";
    default:
      return "an unknown status";
  }
}

}  // namespace

std::string CublasStatusText(int status) {
  return std::string(NameOf(status)) + " (" + std::to_string(status) + ")";
}

}  // namespace math_ops

#endif  // GOOGLE_CUDA
