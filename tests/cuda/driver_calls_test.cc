// tests/cuda/driver_calls_test.cc: compiles only if host/device/cuda_driver_calls.h declares what cuda.h does.
//
// __CUDA_API_VERSION_INTERNAL makes cuda.h declare every version of a call under its own name.
// SPDX-License-Identifier: Apache-2.0
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <cudaTypedefs.h>

#include <type_traits>

#include "host/device/cuda_driver_calls.h"

namespace opsrun::host {
namespace {

// Our type for a type of cuda.h: int for an enum, our copy of a struct.
template <typename T>
struct Ours {
  using type = std::conditional_t<std::is_enum_v<T>, int, T>;
};
template <>
struct Ours<const CUmemPoolProps*> {
  using type = const CudaPoolProperties*;
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

#define SAME_AS_IN_CUDA(name, suffix, version, parameters)                                                 \
  static_assert(std::is_same_v<int parameters, Ours<decltype(::name##suffix)>::type>, #name " in cuda.h"); \
  static_assert(std::is_same_v<int(*) parameters, Ours<PFN_##name##_v##version>::type>, #name " by version");
OPSRUN_CUDA_CALLS(SAME_AS_IN_CUDA)

static_assert(sizeof(CudaPoolProperties) == sizeof(CUmemPoolProps));
static_assert(offsetof(CudaPoolProperties, location_id) == offsetof(CUmemPoolProps, location) + sizeof(int));
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
