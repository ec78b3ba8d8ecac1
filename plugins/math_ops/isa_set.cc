// plugins/math_ops/isa_set.cc: matrix products, and the loops of unary_loops_impl.h and simple_loops.h, for one
// instruction set; and its table, the only symbol that its object file exports.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

// The host's threads run the blocks of a product, so Eigen must not start threads.
#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>

#define MATH_OPS_ISA MATH_OPS_SET
#include "max_pool_row.h"
#include "simple_loops.h"
#include "unary_loops_impl.h"
#include "window_products.h"

#define MATH_OPS_JOIN(a, b) a##b
#define MATH_OPS_TABLE(set) MATH_OPS_JOIN(math_ops_set_, set)
#define MATH_OPS_TEXT(set) #set
#define MATH_OPS_NAME(set) MATH_OPS_TEXT(set)

namespace math_ops {
namespace {

// Products of floating-point matrices with Eigen.

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

// Simple functions and folds.

template <template <typename> class Loops, typename... Fs, typename... ElementTypes>
auto Find(int i, DataType type, TypeList<On<Fs, ElementTypes>...>) {
  decltype((LoopFor<Loops<Fs>>(type, ElementTypes()), ...)) found = nullptr;
  ((i-- == 0 ? void(found = LoopFor<Loops<Fs>>(type, ElementTypes())) : void()), ...);
  return found;
}

template <template <typename> class Loops>
auto FindInList(int i, DataType type) {
  return Find<Loops>(i, type, typename ListOf<Loops>::List());
}

constexpr SimpleLoops kSimpleLoops = {&FindInList<UnaryLoops>, &FindInList<BinaryLoops>, &FindInList<FoldLoopsFor>};

}  // namespace
}  // namespace math_ops

extern "C" {
extern const math_ops::Kernels MATH_OPS_TABLE(MATH_OPS_SET);
const math_ops::Kernels MATH_OPS_TABLE(MATH_OPS_SET) = {
    MATH_OPS_NAME(MATH_OPS_SET),
    {math_ops::MultiplyWithEigen<float>, math_ops::MultiplyWithEigen<double>, math_ops::MultiplyWrapping<uint32_t>,
     math_ops::MultiplyWrapping<uint64_t>},
    {math_ops::AddAllWindows<float>, math_ops::AddAllWindows<double>, math_ops::AddAllWindows<uint32_t>},
    math_ops::kVectorBytes,
    math_ops::kVectorBytes* math_ops::kPanelVectors,
    {math_ops::MaxPoolRow<float>, math_ops::MaxPoolRow<double>},
    &math_ops::MATH_OPS_SET::kLoops,
    &math_ops::kSimpleLoops,
};
}
