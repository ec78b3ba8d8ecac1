// tests/cuda/toolkit_calls_test.cc: compiles only if host/device/cuda_driver_calls.h declares what cuda.h does, and
// plugins/math_ops/gpu_blas_library.h and gpu_dnn_library.h what cublas_v2.h and cudnn.h do, if there are any.
//
// __CUDA_API_VERSION_INTERNAL makes cuda.h declare every version of a call under its own name.
// SPDX-License-Identifier: Apache-2.0
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <cudaTypedefs.h>

#include <type_traits>

#include "host/device/cuda_driver_calls.h"
#include "plugins/math_ops/gpu_blas_library.h"
#include "plugins/math_ops/gpu_dnn_library.h"
#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#endif
#if __has_include(<cudnn.h>)
#include <cudnn.h>
#endif

namespace {

// Our type for a type of cuda.h: int for an enum, our copy of a struct.
template <typename T>
struct Ours {
  using type = std::conditional_t<std::is_enum_v<T>, int, T>;
};
template <>
struct Ours<const CUmemPoolProps*> {
  using type = const opsrun::host::CudaPoolProperties*;
};
template <>
struct Ours<const CUmemAccessDesc*> {
  using type = const opsrun::host::CudaPoolAccess*;
};
template <typename T>
requires std::is_enum_v<T>
struct Ours<T*> {
  using type = int*;
};
template <typename Result, typename... Parameters>
struct Ours<Result(Parameters...)> {
  using type = typename Ours<Result>::type(typename Ours<Parameters>::type...);
};
template <typename Result, typename... Parameters>
struct Ours<Result (*)(Parameters...)> {
  using type = typename Ours<Result(Parameters...)>::type*;
};

}  // namespace

namespace opsrun::host {
namespace {

#define SAME_AS_IN_CUDA(name, suffix, version, parameters)                                                 \
  static_assert(std::is_same_v<int parameters, Ours<decltype(::name##suffix)>::type>, #name " in cuda.h"); \
  static_assert(std::is_same_v<int(*) parameters, Ours<PFN_##name##_v##version>::type>, #name " by version");
OPSRUN_CUDA_CALLS(SAME_AS_IN_CUDA)

static_assert(sizeof(CudaPoolProperties) == sizeof(CUmemPoolProps));
static_assert(offsetof(CudaPoolProperties, location_id) == offsetof(CUmemPoolProps, location) + sizeof(int));
static_assert(sizeof(CudaPoolAccess) == sizeof(CUmemAccessDesc));
static_assert(offsetof(CudaPoolAccess, flags) == offsetof(CUmemAccessDesc, flags));
static_assert(CU_MEM_ACCESS_FLAGS_PROT_READWRITE == 3 && CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED == 704);
static_assert(offsetof(CudaPoolProperties, most_bytes) == offsetof(CUmemPoolProps, maxSize));
static_assert(kCudaOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY && kCudaStub == CUDA_ERROR_STUB_LIBRARY &&
              kCudaNoDevice == CUDA_ERROR_NO_DEVICE);
static_assert(kCudaTextureAlignment == CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT &&
              kCudaMajor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR &&
              kCudaMinor == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR &&
              kCudaPoolsSupported == CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
static_assert(kCudaNonBlocking == CU_STREAM_NON_BLOCKING && kCudaNoTiming == CU_EVENT_DISABLE_TIMING &&
              kCudaReleaseThreshold == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD &&
              kCudaCaptureThreadLocal == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);

}  // namespace
}  // namespace opsrun::host

#if __has_include(<cublas_v2.h>)
namespace math_ops {
namespace {

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

#define SAME_AS_IN_CUBLAS(result, name, parameters) \
  static_assert(std::is_same_v<result(*) parameters, Ours<std::remove_const_t<decltype(k##name)>>::type>, #name);
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
#endif

#if __has_include(<cudnn.h>)
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
namespace math_ops {
namespace {

#define SAME_AS_IN_CUDNN(result, name, parameters) \
  static_assert(std::is_same_v<result(*) parameters, Ours<decltype(&::name)>::type>, #name);
MATH_OPS_CUDNN_CALLS(SAME_AS_IN_CUDNN)

#if CUDNN_MAJOR >= 9
static_assert(kCudnnSuccess == CUDNN_STATUS_SUCCESS && kCudnnNotInitialized == CUDNN_STATUS_NOT_INITIALIZED &&
              kCudnnBadParam == CUDNN_STATUS_BAD_PARAM && kCudnnNotSupported == CUDNN_STATUS_NOT_SUPPORTED &&
              kCudnnInternalError == CUDNN_STATUS_INTERNAL_ERROR &&
              kCudnnNoHostMemory == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED &&
              kCudnnNoDeviceMemory == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED &&
              kCudnnExecutionFailed == CUDNN_STATUS_EXECUTION_FAILED);
#else
static_assert(kCudnnSuccess == CUDNN_STATUS_SUCCESS && kCudnn8NotInitialized == CUDNN_STATUS_NOT_INITIALIZED &&
              kCudnn8AllocFailed == CUDNN_STATUS_ALLOC_FAILED && kCudnn8BadParam == CUDNN_STATUS_BAD_PARAM &&
              kCudnn8ArchMismatch == CUDNN_STATUS_ARCH_MISMATCH && kCudnn8NotSupported == CUDNN_STATUS_NOT_SUPPORTED &&
              kCudnn8LicenseError == CUDNN_STATUS_LICENSE_ERROR &&
              kCudnn8PrerequisiteMissing == CUDNN_STATUS_RUNTIME_PREREQUISITE_MISSING &&
              kCudnn8VersionMismatch == CUDNN_STATUS_VERSION_MISMATCH);
#endif
static_assert(kCudnnFloat == CUDNN_DATA_FLOAT && kCudnnDouble == CUDNN_DATA_DOUBLE && kCudnnHalf == CUDNN_DATA_HALF &&
              kCudnnBfloat16 == CUDNN_DATA_BFLOAT16);
static_assert(kCudnnChannelsFirst == CUDNN_TENSOR_NCHW && kCudnnChannelsLast == CUDNN_TENSOR_NHWC &&
              kCudnnNotMirrored == CUDNN_CROSS_CORRELATION && kCudnnDefaultMath == CUDNN_DEFAULT_MATH &&
              kCudnnTensorOpMath == CUDNN_TENSOR_OP_MATH && kCudnnFmaMath == CUDNN_FMA_MATH);
static_assert(kCudnnForwardGemm == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM &&
              kCudnnForwardPrecomputedGemm == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM &&
              kCudnnBackwardDataGemm == CUDNN_CONVOLUTION_BWD_DATA_ALGO_1 &&
              kCudnnBackwardFilterGemm == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1);

}  // namespace
}  // namespace math_ops
#endif
