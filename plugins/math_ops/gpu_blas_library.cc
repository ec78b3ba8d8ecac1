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

std::string CublasStatusText(int status) {
  constexpr struct {
    int status;
    const char* name;
  } kNames[] = {{kCublasNotInitialized, "NOT_INITIALIZED"}, {kCublasAllocFailed, "ALLOC_FAILED"},
                {kCublasInvalidValue, "INVALID_VALUE"},     {kCublasArchMismatch, "ARCH_MISMATCH"},
                {kCublasMappingError, "MAPPING_ERROR"},     {kCublasExecutionFailed, "EXECUTION_FAILED"},
                {kCublasInternalError, "INTERNAL_ERROR"},   {kCublasNotSupported, "NOT_SUPPORTED"},
                {kCublasLicenseError, "LICENSE_ERROR"}};
  std::string text = "an unknown status";
  for (const auto& known : kNames) {
    if (known.status == status) text = std::string("CUBLAS_STATUS_") + known.name;
  }
  return text + " (" + std::to_string(status) + ")";
}

}  // namespace math_ops

#endif  // GOOGLE_CUDA
