// opsrun/internal/gpu_device.h: Eigen::GpuDevice on the stream of a call.
//
// EIGEN_USE_GPU must be defined before Eigen's Tensor header is included.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/c_api.h"
#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

template <>
struct DeviceOf<Eigen::GpuDevice> {
  template <typename Context>
  explicit DeviceOf(Context* context)
      : stream_(static_cast<cudaStream_t>(context->call()->stream)), on_stream_(&stream_), device_(&on_stream_) {}
  const Eigen::GpuDevice& device() const { return device_; }

 private:
  cudaStream_t stream_;
  Eigen::GpuStreamDevice on_stream_;
  Eigen::GpuDevice device_;
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
