// plugins/array_ops/gpu_indices.cu.h: what GPU kernels of indices share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "indices.h"
#include "opsrun/gpu_kernel_helper.h"

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

}  // namespace array_ops
