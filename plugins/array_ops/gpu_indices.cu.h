// plugins/array_ops/gpu_indices.cu.h: what GPU kernels of indices share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "indices.h"
#include "opsrun/gpu_elements.h"
#include "opsrun/gpu_kernel_helper.h"
#include "opsrun/op_kernel.h"

namespace array_ops {

// Vectors of `depth` indices. For each index: its range, and the distance between the slices of neighboring indices.
struct IndexedDims {
  int depth = 0;
  int64 sizes[OPSRUN_MAX_RANK], strides[OPSRUN_MAX_RANK];

  IndexedDims() = default;
  explicit IndexedDims(int64 size) : depth(1), sizes{size}, strides{1} {}
  // Of the first `count` dimensions of a shape.
  IndexedDims(const TensorShape& shape, int count) : depth(count) {
    int64 stride = 1;
    for (int d = count; d-- > 0; stride *= shape.dim_size(d)) {
      sizes[d] = shape.dim_size(d);
      strides[d] = stride;
    }
  }
};

// Waits for what is enqueued, and returns its error or that of the last call.
inline Status Await(cudaStream_t stream, cudaError_t enqueued) {
  const cudaError_t error = enqueued != cudaSuccess ? enqueued : cudaStreamSynchronize(stream);
  return error == cudaSuccess ? Status() : errors::Internal("Indices cannot be read: ", cudaGetErrorString(error));
}

// Copies one element from device memory, and waits for it.
template <typename T>
Status ReadOne(cudaStream_t stream, const T* from, T* to) {
  return Await(stream, cudaMemcpyAsync(to, from, sizeof *to, cudaMemcpyDeviceToHost, stream));
}

// Each block sets its element of `found` to the least i that it sees for which is_sought(i), or to n.
template <typename Predicate>
__global__ void __launch_bounds__(kGpuThreads) FindFirsts(int64 n, Predicate is_sought, uint64* found) {
  __shared__ uint64 first;
  if (threadIdx.x == 0) first = static_cast<uint64>(n);
  __syncthreads();
  for (int64 i : GpuGridRangeX(n)) {
    if (is_sought(i)) GpuAtomicMin(&first, static_cast<uint64>(i));
  }
  __syncthreads();
  if (threadIdx.x == 0) found[blockIdx.x] = first;
}

// Sets *at to the least i in [0, n) for which is_sought(i), a function on the GPU, or to n. Waits for the GPU.
template <typename Predicate>
Status FindFirst(OpKernelContext* context, int64 n, const Predicate& is_sought, int64* at) {
  constexpr unsigned kMostBlocks = 1024;  // the CPU reads what each has found
  const cudaStream_t stream = GetGpuStream(context);
  const unsigned blocks = std::min(GpuBlocks(n).x, kMostBlocks);
  Tensor memory;
  TF_RETURN_IF_ERROR(context->allocate_temp(DT_UINT64, TensorShape({blocks}), &memory));
  uint64* const found = static_cast<uint64*>(memory.data());
  TF_RETURN_IF_ERROR(GpuLaunchKernel(FindFirsts<Predicate>, blocks, kGpuThreads, 0, stream, n, is_sought, found));
  uint64 firsts[kMostBlocks];
  TF_RETURN_IF_ERROR(
      Await(stream, cudaMemcpyAsync(firsts, found, blocks * sizeof(uint64), cudaMemcpyDeviceToHost, stream)));
  *at = static_cast<int64>(*std::min_element(firsts, firsts + blocks));
  return Status();
}

}  // namespace array_ops
