// opsrun_compat/eigen.h: includes Eigen, and thereby Eigen's maps and devices, as TensorFlow's headers do;
// maps with int indices, which are faster on GPUs; arrays of bfloat16.
//
// Without Eigen on the include path, tensors have the SDK's light maps. If the compiler's flags put Eigen before the
// SDK, its header replaces the SDK's header of that name, so this file does what that header would do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string.h>

#include <limits>
#include <type_traits>
#include <utility>

#include "opsrun/internal/enter_tensorflow.h"

#if defined(OPSRUN_EIGEN_IS_IN) || __has_include(<Eigen/Core>)
#define OPSRUN_EIGEN_BY_COMPAT
#include <unsupported/Eigen/CXX11/Tensor>
#undef OPSRUN_EIGEN_BY_COMPAT
#ifndef OPSRUN_EIGEN_IS_IN
#include "opsrun/internal/eigen_is_in.h"
#endif
// After Eigen, so that kernels use Eigen's 16-bit floats.
#include "opsrun/device_base.h"
#include "opsrun/status.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

#if !defined(EIGEN_USE_GPU) || !(defined(GOOGLE_CUDA) || defined(__CUDACC__) || defined(OPSRUN_CUDA_EMULATION))
// Eigen::GpuDevice in sources that are compiled without CUDA: they compile, and a call that asks for it fails.
namespace internal {

template <>
struct DeviceOf<Eigen::GpuDevice> {
  explicit DeviceOf(OpKernelContext*) {
    Fail(Error(
        error::UNIMPLEMENTED,
        "The kernel asks for Eigen::GpuDevice, but its file was compiled without CUDA: add $(opsrun sdk --gpu) to "
        "the compiler's command"));
  }
  [[noreturn]] const Eigen::GpuDevice& device() const { abort(); }  // never called: there is no DeviceOf
};

}  // namespace internal
#endif

template <typename Index, int N>
bool SafeFor32BitIndexing(const Eigen::DSizes<Index, N>& sizes) {
  for (int i = 0; i < N; ++i) {
    if (sizes[i] > std::numeric_limits<int>::max()) return false;
  }
  return true;
}
template <typename Plain, int Options, template <class> class MakePointer>
bool SafeFor32BitIndexing(const Eigen::TensorMap<Plain, Options, MakePointer>& map) {
  return map.size() <= std::numeric_limits<int>::max();
}

// Requires: SafeFor32BitIndexing(sizes).
template <typename Index, int N>
Eigen::DSizes<int, N> To32Bit(const Eigen::DSizes<Index, N>& sizes) {
  Eigen::DSizes<int, N> small;
  for (int i = 0; i < N; ++i) small[i] = static_cast<int>(sizes[i]);
  return small;
}
// A map of the same elements.
template <typename T, int N, typename Index, int Options, template <class> class MakePointer>
Eigen::TensorMap<Eigen::Tensor<T, N, Eigen::RowMajor, int>> To32Bit(
    const Eigen::TensorMap<Eigen::Tensor<T, N, Eigen::RowMajor, Index>, Options, MakePointer>& map) {
  return {const_cast<T*>(map.data()), To32Bit(map.dimensions())};
}

// Calls `f` with the arguments, or on a GPU with To32Bit of them if that is safe.
template <typename Device, typename F, typename... Args>
void MaybeWith32BitIndexing(F f, Args&&... args) {
  if constexpr (std::is_same_v<Device, Eigen::GpuDevice>) {
    if ((SafeFor32BitIndexing(args) && ...)) return f(To32Bit(args)...);
  }
  f(std::forward<Args>(args)...);
}

// Truncates to the upper half of the bits.
inline void FloatToBFloat16(const float* from, bfloat16* to, int64_t size) {
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the upper half comes second");
  for (int64_t i = 0; i < size; ++i) memcpy(&to[i], reinterpret_cast<const char*>(&from[i]) + 2, sizeof(to[i]));
}
// Rounds to the nearest, ties to even.
inline void RoundFloatToBFloat16(const float* from, bfloat16* to, int64_t size) {
  for (int64_t i = 0; i < size; ++i) to[i] = static_cast<bfloat16>(from[i]);
}
inline void BFloat16ToFloat(const bfloat16* from, float* to, int64_t size) {
  for (int64_t i = 0; i < size; ++i) to[i] = static_cast<float>(from[i]);
}

}  // namespace OPSRUN_HIDDEN
#endif
