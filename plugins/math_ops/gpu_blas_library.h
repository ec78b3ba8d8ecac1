// plugins/math_ops/gpu_blas_library.h: the shared libraries of cuBLAS that this process can open.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <memory>
#include <string>

// The cuBLAS functions that matrix products use, declared without its header.
//
// Types are those of cublas_v2.h, with int for its enums. Where the toolkit is installed, a test compares every line
// with that header. Source: cuBLAS library documentation, sections 2.4 and 2.8.

struct cublasContext;
struct CUstream_st;

namespace math_ops {

typedef cublasContext* CublasHandle;

constexpr int kCublasSuccess = 0, kCublasNotInitialized = 1, kCublasAllocFailed = 3, kCublasInvalidValue = 7,
              kCublasArchMismatch = 8, kCublasMappingError = 11, kCublasExecutionFailed = 13, kCublasInternalError = 14,
              kCublasNotSupported = 15, kCublasLicenseError = 16;
constexpr int kCublasFloat = 0, kCublasDouble = 1, kCublasHalf = 2, kCublasBfloat16 = 14;  // elements
constexpr int kCublasAsFloat = 68, kCublasAsDouble = 70;                                   // compute types
constexpr int kCublasPlain = 0, kCublasTransposed = 1;
constexpr int kCublasAnyAlgorithm = -1;
constexpr int kCublasNoRoundedParts = 16;  // math mode: no rounding to float16 within a sum

// X(name, parameters). Available in every libcublas since version 11. Matrices are column-major; alpha and beta are in
// host memory and have the compute type.
#define MATH_OPS_CUBLAS_CALLS(X)                                                                                   \
  X(cublasCreate_v2, (CublasHandle * handle))                                                                      \
  X(cublasDestroy_v2, (CublasHandle handle))                                                                       \
  X(cublasGetVersion_v2, (CublasHandle handle, int* version))                                                      \
  X(cublasSetMathMode, (CublasHandle handle, int mode))                                                            \
  X(cublasSetStream_v2, (CublasHandle handle, CUstream_st * stream))                                               \
  X(cublasSetWorkspace_v2, (CublasHandle handle, void* workspace, size_t bytes))                                   \
  X(cublasGemmEx, (CublasHandle handle, int a_operation, int b_operation, int m, int n, int k, const void* alpha,  \
                   const void* a, int a_type, int a_leading, const void* b, int b_type, int b_leading,             \
                   const void* beta, void* c, int c_type, int c_leading, int computed_in, int algorithm))          \
  X(cublasGemmStridedBatchedEx,                                                                                    \
    (CublasHandle handle, int a_operation, int b_operation, int m, int n, int k, const void* alpha, const void* a, \
     int a_type, int a_leading, long long a_stride, const void* b, int b_type, int b_leading, long long b_stride,  \
     const void* beta, void* c, int c_type, int c_leading, long long c_stride, int count, int computed_in,         \
     int algorithm))

// The library is never unloaded, because its threads and destructors do not support that.
class GpuBlasLibrary {
 public:
#define MATH_OPS_CUBLAS_DECLARE(name, parameters) int(*name) parameters = nullptr;
  MATH_OPS_CUBLAS_CALLS(MATH_OPS_CUBLAS_DECLARE)
#undef MATH_OPS_CUBLAS_DECLARE

  static constexpr int kVersions[] = {13, 12, 11};  // newest first
  // Opens that version, or returns NULL. If the library exists but cannot be used, *problem says why; otherwise
  // *problem is unchanged.
  static std::unique_ptr<const GpuBlasLibrary> Open(int version, std::string* problem);

  const std::string& name() const {
    return name_;
  }

 private:
  bool FindCalls(void* library, std::string* problem);

  std::string name_;
};

inline std::unique_ptr<const GpuBlasLibrary> GpuBlasLibrary::Open(int version, std::string* problem) {
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

inline bool GpuBlasLibrary::FindCalls(void* library, std::string* problem) {
#define MATH_OPS_CUBLAS_FIND(call, parameters)                    \
  call = reinterpret_cast<decltype(call)>(dlsym(library, #call)); \
  if (call == nullptr) return *problem = name_ + " has no " #call, false;
  MATH_OPS_CUBLAS_CALLS(MATH_OPS_CUBLAS_FIND)
#undef MATH_OPS_CUBLAS_FIND
  return true;
}

// "CUBLAS_STATUS_NOT_SUPPORTED (15)"
inline std::string CublasStatusText(int status) {
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
