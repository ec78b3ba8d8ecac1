// plugins/math_ops/gpu_elements.cu.h: what loops over elements on a GPU have in common.
//
// Elements are read and written 16 bytes at a time where memory is aligned, which every tensor is that is no part of
// another one. Grids are bounded, and their threads go on until nothing is left.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "opsrun/gpu_kernel_helper.h"
#include "opsrun/status.h"
#include "types.h"

// Types of elements, as constraints of kernels.
#define MATH_OPS_GPU_FLOATS opsrun::DT_HALF, opsrun::DT_BFLOAT16, opsrun::DT_FLOAT, opsrun::DT_DOUBLE
#define MATH_OPS_GPU_SIGNED_INTS opsrun::DT_INT8, opsrun::DT_INT16, opsrun::DT_INT32, opsrun::DT_INT64
#define MATH_OPS_GPU_UNSIGNED_INTS opsrun::DT_UINT8, opsrun::DT_UINT16, opsrun::DT_UINT32, opsrun::DT_UINT64
#define MATH_OPS_GPU_INTS MATH_OPS_GPU_SIGNED_INTS, MATH_OPS_GPU_UNSIGNED_INTS
#define MATH_OPS_GPU_REAL_NUMBERS MATH_OPS_GPU_FLOATS, MATH_OPS_GPU_INTS

namespace math_ops {

using opsrun::gpuStream_t;

constexpr int kGpuThreads = 256;  // of a block

// Of kGpuThreads each, for that many threads; more than these do not run at a time on any card.
inline dim3 GpuBlocks(int64 threads) {
  constexpr int64 kMost = 4096;
  return dim3(static_cast<unsigned>(std::min((threads + kGpuThreads - 1) / kGpuThreads, kMost)));
}

template <typename T, int kCount>
struct alignas(sizeof(T) * kCount) GpuPack {
  T elements[kCount];
};

// How many elements make a pack of 16 bytes, of the larger of two types.
template <typename T, typename U>
constexpr int kGpuPackSize = 16 / static_cast<int>(std::max(sizeof(T), sizeof(U)));

template <typename T, int kCount>
bool IsAlignedFor(const T* data) {
  return reinterpret_cast<uintptr_t>(data) % sizeof(GpuPack<T, kCount>) == 0;
}

}  // namespace math_ops
