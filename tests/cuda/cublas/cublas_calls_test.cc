// tests/cuda/cublas/cublas_calls_test.cc: compiles only if plugins/math_ops/gpu_blas_library.h declares what
// cublas_v2.h does.
// SPDX-License-Identifier: Apache-2.0
#include <cublas_v2.h>

#include <type_traits>

#include "plugins/math_ops/gpu_blas_library.h"

namespace math_ops {
namespace {

// Our type for a type of cublas_v2.h: int for an enum.
template <typename T>
struct Ours {
  using type = std::conditional_t<std::is_enum_v<T>, int, T>;
};
template <typename Result, typename... Parameters>
struct Ours<Result (*)(Parameters...)> {
  using type = typename Ours<Result>::type (*)(typename Ours<Parameters>::type...);
};

// In C++ the header overloads these two, for older programs.
typedef cublasStatus_t (*GemmEx)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*,
                                 const void*, cudaDataType, int, const void*, cudaDataType, int, const void*, void*,
                                 cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t);
typedef cublasStatus_t (*GemmStridedBatchedEx)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                                               const void*, const void*, cudaDataType, int, long long, const void*,
                                               cudaDataType, int, long long, const void*, void*, cudaDataType, int,
                                               long long, int, cublasComputeType_t, cublasGemmAlgo_t);
constexpr auto* kcublasCreate_v2 = &::cublasCreate_v2;
constexpr auto* kcublasDestroy_v2 = &::cublasDestroy_v2;
constexpr auto* kcublasGetVersion_v2 = &::cublasGetVersion_v2;
constexpr auto* kcublasSetMathMode = &::cublasSetMathMode;
constexpr auto* kcublasSetStream_v2 = &::cublasSetStream_v2;
constexpr auto* kcublasSetWorkspace_v2 = &::cublasSetWorkspace_v2;
constexpr auto kcublasGemmEx = static_cast<GemmEx>(&::cublasGemmEx);
constexpr auto kcublasGemmStridedBatchedEx = static_cast<GemmStridedBatchedEx>(&::cublasGemmStridedBatchedEx);

#define SAME_AS_IN_CUBLAS(name, parameters) \
  static_assert(std::is_same_v<int(*) parameters, Ours<std::remove_const_t<decltype(k##name)>>::type>, #name);
MATH_OPS_CUBLAS_CALLS(SAME_AS_IN_CUBLAS)

static_assert(kCublasSuccess == CUBLAS_STATUS_SUCCESS && kCublasNotInitialized == CUBLAS_STATUS_NOT_INITIALIZED &&
              kCublasAllocFailed == CUBLAS_STATUS_ALLOC_FAILED && kCublasInvalidValue == CUBLAS_STATUS_INVALID_VALUE &&
              kCublasArchMismatch == CUBLAS_STATUS_ARCH_MISMATCH &&
              kCublasMappingError == CUBLAS_STATUS_MAPPING_ERROR &&
              kCublasExecutionFailed == CUBLAS_STATUS_EXECUTION_FAILED &&
              kCublasInternalError == CUBLAS_STATUS_INTERNAL_ERROR &&
              kCublasNotSupported == CUBLAS_STATUS_NOT_SUPPORTED && kCublasLicenseError == CUBLAS_STATUS_LICENSE_ERROR);
static_assert(kCublasFloat == CUDA_R_32F && kCublasDouble == CUDA_R_64F && kCublasHalf == CUDA_R_16F &&
              kCublasBfloat16 == CUDA_R_16BF);
static_assert(kCublasAsFloat == CUBLAS_COMPUTE_32F && kCublasAsDouble == CUBLAS_COMPUTE_64F &&
              kCublasPlain == CUBLAS_OP_N && kCublasTransposed == CUBLAS_OP_T &&
              kCublasAnyAlgorithm == CUBLAS_GEMM_DEFAULT &&
              kCublasNoRoundedParts == CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);

}  // namespace
}  // namespace math_ops
