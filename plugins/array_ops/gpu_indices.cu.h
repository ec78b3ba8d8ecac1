// plugins/array_ops/gpu_indices.cu.h: what GPU kernels of indices share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "indices.h"
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

// Sets *at to the least number that the kernel which enqueue(stream, first) enqueues lowers *first to, or to n. Waits
// for the GPU.
template <typename Enqueue>
Status FindFirst(OpKernelContext* context, int64 n, const Enqueue& enqueue, int64* at) {
  const cudaStream_t stream = GetGpuStream(context);
  Tensor found;
  TF_RETURN_IF_ERROR(context->allocate_temp(DT_UINT64, {}, &found));
  uint64 *const first = static_cast<uint64*>(found.data()), place = static_cast<uint64>(n);
  TF_RETURN_IF_ERROR(GpuLaunchKernel(SetToValue<uint64>, 1, 1, 0, stream, 1, first, place));
  TF_RETURN_IF_ERROR(enqueue(stream, first));
  TF_RETURN_IF_ERROR(ReadOne(stream, first, &place));
  *at = static_cast<int64>(place);
  return Status();
}

}  // namespace array_ops
