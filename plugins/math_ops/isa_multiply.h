// plugins/math_ops/isa_multiply.h: one matrix product, for the kernels of an instruction set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace math_ops {

// A matrix in memory: element (i, j) is at data[i * stride + j], or at data[j * stride + i] if it is transposed.
template <typename T>
struct MatrixView {
  const T* data;
  int64_t stride;
  bool transposed;

  // The submatrix that begins at (i, j).
  MatrixView At(int64_t i, int64_t j) const {
    return {data + (transposed ? j * stride + i : i * stride + j), stride, transposed};
  }
};

// out = a b, or out += a b if `add`. a is [rows, depth], b is [depth, columns]; element (i, j) of the result is at
// out[i * out_stride + j]. Integers wrap, so they are unsigned. Any size may be 0.
template <typename T>
struct Product {
  int64_t rows, depth, columns;
  MatrixView<T> a, b;
  T* out;
  int64_t out_stride;
  bool add = false;
};

template <typename T>
using Multiply = void (*)(const Product<T>& product);

}  // namespace math_ops
