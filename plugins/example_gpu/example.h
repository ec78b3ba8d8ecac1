// plugins/example_gpu/example.h: what the op computes, as a functor that is specialized for each kind of device.
//
// example.cc has the specialization for CPUs, example.cu.cc the one for GPUs. The device is a template argument, so one
// kernel class serves both, and this header is all that either compiler sees of the other side.
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

// Integers wrap around; signed overflow is undefined in C++.
template <typename T>
EIGEN_DEVICE_FUNC inline T Twice(const T& x) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(std::make_unsigned_t<T>(x) * 2u);
  } else {
    return x + x;
  }
}

}  // namespace example
