// plugins/math_ops/isa_multiply_floats.h: products of floating-point matrices with Eigen.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The host's threads run the blocks of a product, each with one call.
#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>

#include "isa_product.h"

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

}  // namespace math_ops
