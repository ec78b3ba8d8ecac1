// plugins/math_ops/isa_multiply.h: matrix products. Only sources that are compiled per instruction set include it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace math_ops {

// One matrix product, for the kernels of an instruction set.

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

// Each has its own source, so that they compile in parallel.
void MultiplyFloats(const Product<float>& product);
void MultiplyDoubles(const Product<double>& product);
void MultiplyInts(const Product<uint32_t>& product);
void MultiplyLongs(const Product<uint64_t>& product);

}  // namespace math_ops

// Products of floating-point matrices with Eigen.

// The host's threads run the blocks of a product, so Eigen must not start threads.
#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>

namespace math_ops {

template <typename T, int kOrder>
using EigenMatrix =
    Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, kOrder>, Eigen::Unaligned, Eigen::OuterStride<>>;

template <typename T, typename A, typename B>
void AddProduct(const Product<T>& p, const A& a, const B& b) {
  typedef Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> RowMajor;
  Eigen::Map<RowMajor, Eigen::Unaligned, Eigen::OuterStride<>> out(p.out, p.rows, p.columns,
                                                                   Eigen::OuterStride<>(p.out_stride));
  if (!p.add) out.setZero();
  out.noalias() += a * b;
}

template <typename T, typename A>
void AddProduct(const Product<T>& p, const A& a) {
  const Eigen::OuterStride<> stride(p.b.stride);
  if (p.b.transposed) return AddProduct(p, a, EigenMatrix<T, Eigen::ColMajor>(p.b.data, p.depth, p.columns, stride));
  AddProduct(p, a, EigenMatrix<T, Eigen::RowMajor>(p.b.data, p.depth, p.columns, stride));
}

template <typename T>
void MultiplyWithEigen(const Product<T>& p) {
  const Eigen::OuterStride<> stride(p.a.stride);
  if (p.a.transposed) return AddProduct(p, EigenMatrix<T, Eigen::ColMajor>(p.a.data, p.rows, p.depth, stride));
  AddProduct(p, EigenMatrix<T, Eigen::RowMajor>(p.a.data, p.rows, p.depth, stride));
}

// Products of matrices of unsigned integers, which the compiler vectorizes.

// A panel of b that stays in the L1 cache while all rows of a are multiplied with it.
template <typename T>
struct Panel {
  static constexpr int64_t kDepth = 16, kColumns = 1024 / sizeof(T);
  T values[kDepth][kColumns];
  int64_t depth, columns;

  // The rest of the panel is zero-filled, so that loops have a constant length.
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

// Adds the products of four elements of a row of a with four rows of the panel to a row of out.
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
