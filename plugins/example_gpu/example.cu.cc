// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "example.h"

#include <algorithm>

#include "opsrun/gpu_kernel_helper.h"
#include "opsrun/register_types.h"

namespace example {

using namespace opsrun;
using GpuDevice = Eigen::GpuDevice;

// [kernel]
template <typename T>
__global__ void TimesTwoKernel(int64 n, const T* in, T* out) {
  const int64 step = int64{blockDim.x} * gridDim.x;
  for (int64 i = int64{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) out[i] = Twice(in[i]);
}

template <typename T>
Status TimesTwo<GpuDevice, T>::operator()(const GpuDevice& device, int64 n, const T* in, T* out) const {
  if (n == 0) return Status::OK();  // a grid of no blocks cannot be launched
  constexpr int64 kThreads = 256;
  constexpr int64 kMaxBlocks = 4096;  // enough to fill any card; the kernel's loop covers the rest
  const int64 blocks = std::min((n + kThreads - 1) / kThreads, kMaxBlocks);
  return GpuLaunchKernel(TimesTwoKernel<T>, dim3(static_cast<unsigned>(blocks)), dim3(kThreads), 0, device.stream(), n,
                         in, out);
}
// [/kernel]

#define INSTANTIATE(T) template struct TimesTwo<GpuDevice, T>;
TF_CALL_REAL_NUMBER_TYPES(INSTANTIATE)
#undef INSTANTIATE

}  // namespace example

#endif  // GOOGLE_CUDA
