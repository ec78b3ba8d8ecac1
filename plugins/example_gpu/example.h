// plugins/example_gpu/example.h: what the op computes, as a functor that each kind of device specialises.
//
// example.cc has the one for CPUs, example.cu.cc the one for GPUs. The device stands in the functor's type, so one
// kernel class serves both, and the compiler of either side sees only this file of the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <unsupported/Eigen/CXX11/Tensor>

#include "opsrun/status.h"
#include "opsrun/types.h"

namespace example {

// [functor]
// out[i] = 2 * in[i] for i in [0, n); in and out may be one array.
template <typename Device, typename T>
struct TimesTwo {
  opsrun::Status operator()(const Device& device, opsrun::int64 n, const T* in, T* out) const;
};

#if GOOGLE_CUDA
template <typename T>
struct TimesTwo<Eigen::GpuDevice, T> {
  opsrun::Status operator()(const Eigen::GpuDevice& device, opsrun::int64 n, const T* in, T* out) const;
};
#endif  // GOOGLE_CUDA
// [/functor]

// Integers wrap around, where C++ would leave signed ones undefined.
template <typename T>
EIGEN_DEVICE_FUNC inline T Twice(const T& x) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(std::make_unsigned_t<T>(x) * 2u);
  } else {
    return x + x;
  }
}

}  // namespace example
