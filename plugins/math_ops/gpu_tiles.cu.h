// plugins/math_ops/gpu_tiles.cu.h: a tile of a matrix product, which a block of threads computes on a GPU from tiles of
// both factors in shared memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_elementwise.cu.h"

namespace math_ops {

constexpr int kTile = 64;     // rows and columns of a tile of the product
constexpr int kDepth = 16;    // how much of the depth is in shared memory at a time
constexpr int kThreads = 16;  // along each side of a block: a thread computes kTile / kThreads rows and columns
static_assert(kThreads * kThreads == kGpuThreads);

// Of one thread. W: the type in which elements are multiplied and added.
template <typename W>
class ProductTile {
 public:
  // A tile of a factor: [depth, side that it shares with the product].
  typedef W Factor[kDepth][kTile + 1];

  // Adds the product of both tiles, which all threads must have loaded. They may load the next ones when it returns.
  __device__ void Add(const Factor& left, const Factor& right) {
    __syncthreads();
    for (int k = 0; k < kDepth; ++k) {
      for (int r = 0; r < kOwn; ++r) {
        for (int c = 0; c < kOwn; ++c) sums_[r][c] += left[k][row_ + r * kThreads] * right[k][column_ + c * kThreads];
      }
    }
    __syncthreads();
  }

  // Writes the elements inside of a matrix of rows * columns. (i, j) is the tile's first element there.
  template <typename Out>
  __device__ void Write(int64 i, int64 j, int64 rows, int64 columns, Out* matrix) const {
    for (int r = 0; r < kOwn; ++r) {
      for (int c = 0; c < kOwn; ++c) {
        const int64 row = i + row_ + r * kThreads, column = j + column_ + c * kThreads;
        if (row < rows && column < columns) matrix[row * columns + column] = static_cast<Out>(sums_[r][c]);
      }
    }
  }

 private:
  static constexpr int kOwn = kTile / kThreads;
  const int row_ = static_cast<int>(threadIdx.x) / kThreads, column_ = static_cast<int>(threadIdx.x) % kThreads;
  W sums_[kOwn][kOwn] = {};
};

}  // namespace math_ops
