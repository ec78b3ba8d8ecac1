// plugins/math_ops/gpu_blas_library.h: the cuBLAS functions that matrix products use, declared without its header.
//
// Types are those of cublas_v2.h, with int for its enums. Where the toolkit is installed, a test compares every line
// with that header. Source: cuBLAS library documentation, sections 2.4 and 2.8.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "gpu_library.h"

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

// X(result, name, parameters). Available in every libcublas since version 11. Matrices are column-major; alpha and beta
// are in host memory and have the compute type.
#define MATH_OPS_CUBLAS_CALLS(X)                                                                                   \
  X(int, cublasCreate_v2, (CublasHandle * handle))                                                                 \
  X(int, cublasDestroy_v2, (CublasHandle handle))                                                                  \
  X(int, cublasGetVersion_v2, (CublasHandle handle, int* version))                                                 \
  X(int, cublasSetMathMode, (CublasHandle handle, int mode))                                                       \
  X(int, cublasSetStream_v2, (CublasHandle handle, CUstream_st * stream))                                          \
  X(int, cublasSetWorkspace_v2, (CublasHandle handle, void* workspace, size_t bytes))                              \
  X(int, cublasGemmEx,                                                                                             \
    (CublasHandle handle, int a_operation, int b_operation, int m, int n, int k, const void* alpha, const void* a, \
     int a_type, int a_leading, const void* b, int b_type, int b_leading, const void* beta, void* c, int c_type,   \
     int c_leading, int computed_in, int algorithm))                                                               \
  X(int, cublasGemmStridedBatchedEx,                                                                               \
    (CublasHandle handle, int a_operation, int b_operation, int m, int n, int k, const void* alpha, const void* a, \
     int a_type, int a_leading, long long a_stride, const void* b, int b_type, int b_leading, long long b_stride,  \
     const void* beta, void* c, int c_type, int c_leading, long long c_stride, int count, int computed_in,         \
     int algorithm))

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

struct GpuBlasLibrary : GpuLibrary<GpuBlasLibrary> {
  MATH_OPS_CALLS(MATH_OPS_CUBLAS_CALLS)

  static constexpr int kVersions[] = {13, 12, 11};  // newest first
  static constexpr GpuLibraryText kText = {"cuBLAS",
                                           "libcublas.so.",
                                           "cublasCreate",
                                           "cublasDestroy",
                                           "cublasSetStream",
                                           "matrix products",
                                           "install cuBLAS of the CUDA toolkit",
                                           "OPSRUN_CUBLAS"};
  typedef CublasHandle Handle;

  static constexpr auto kCreate = &GpuBlasLibrary::cublasCreate_v2;
  static constexpr auto kDestroy = &GpuBlasLibrary::cublasDestroy_v2;
  static constexpr auto kSetStream = &GpuBlasLibrary::cublasSetStream_v2;
  long long Version(CublasHandle handle) const {
    int version = 0;
    (void)cublasGetVersion_v2(handle, &version);
    return version;
  }
  std::string StatusText(int status) const { return CublasStatusText(status); }

  static bool IsOutOfMemory(int status) { return status == kCublasAllocFailed; }
  static bool IsRefusal(int status) { return status == kCublasNotSupported || status == kCublasArchMismatch; }
  static bool IsUseless(int status) {
    return status == kCublasNotInitialized || status == kCublasLicenseError || IsRefusal(status);
  }
};

}  // namespace math_ops
