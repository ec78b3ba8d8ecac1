// tests/cuda/watched_kernel.cu.cc: launches for gpu_watch_test.cc, in the syntax that only CUDA's compiler accepts.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/gpu_kernel_helper.h"

namespace {

__global__ void Nothing(int) {}

}  // namespace

void LaunchNothing(cudaStream_t stream) {
  Nothing<<<1, 1, 0, stream>>>(0);
}
opsrun::Status LaunchNothingByHelper(cudaStream_t stream) {
  return opsrun::GpuLaunchKernel(Nothing, dim3(1), dim3(1), 0, stream, 0);
}
