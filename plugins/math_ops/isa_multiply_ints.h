// plugins/math_ops/isa_multiply_ints.h: products of matrices of unsigned integers, which the compiler vectorizes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "isa_product.h"

namespace math_ops {

// A part of b that stays in the first-level cache while all rows of a use it.
template <typename T>
struct Panel {
  static constexpr int64_t kDepth = 16, kColumns = 1024 / sizeof(T);
  T values[kDepth][kColumns];
  int64_t depth, columns;

  // The rest of the panel is zero, so that loops over it have a constant length.
  void Read(const MatrixView<T>& b, int64_t given_depth, int64_t given_columns) {
    depth = std::min(given_depth, kDepth);
    columns = std::min(given_columns, kColumns);
    for (int64_t k = 0; k < kDepth; ++k) {
      for (int64_t j = 0; j < kColumns; ++j) {
        values[k][j] = k < depth && j < columns ? *b.At(k, j).data : T{0};
      }
    }
  }
};

// Adds to a row of out the products of four elements of a row of a with four rows of the panel.
template <typename T>
void AddFourRows(const MatrixView<T>& a, const Panel<T>& panel, int64_t k, T* out) {
  T x[4];
  for (int64_t i = 0; i < 4; ++i) x[i] = k + i < panel.depth ? *a.At(0, k + i).data : T{0};
  const T(*rows)[Panel<T>::kColumns] = panel.values + k;
  for (int64_t j = 0; j < panel.columns; ++j) {
    out[j] += x[0] * rows[0][j] + x[1] * rows[1][j] + x[2] * rows[2][j] + x[3] * rows[3][j];
  }
}

template <typename T>
void MultiplyWrapping(const Product<T>& p) {
  for (int64_t i = 0; i < p.rows && !p.add; ++i) std::fill_n(p.out + i * p.out_stride, p.columns, T{0});
  Panel<T> panel;
  for (int64_t k = 0; k < p.depth; k += panel.kDepth) {
    for (int64_t j = 0; j < p.columns; j += panel.kColumns) {
      panel.Read(p.b.At(k, j), p.depth - k, p.columns - j);
      for (int64_t i = 0; i < p.rows; ++i) {
        for (int64_t inner = 0; inner < panel.depth; inner += 4) {
          AddFourRows(p.a.At(i, k), panel, inner, p.out + i * p.out_stride + j);
        }
      }
    }
  }
}

}  // namespace math_ops
