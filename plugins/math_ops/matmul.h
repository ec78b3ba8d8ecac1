// plugins/math_ops/matmul.h: products of many matrices, on the host's threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "broadcast.h"
#include "isa_kernels.h"

namespace math_ops {

// Products of many matrices.

typedef TypeList<half, bfloat16, float, double, int32_t, int64_t, complex64, complex128> MatMulTypes;
#define MATH_OPS_MATMUL_TYPES "half, bfloat16, float, double, int32, int64, complex64, complex128"

// `count` consecutive matrices. A transposed one is stored as [columns, rows].
struct Matrices {
  int64 count, rows, columns;
  bool transposed = false, conjugated = false;

  int64 elements() const { return rows * columns; }
  // The offset of element (i, j) of a matrix.
  int64 At(int64 i, int64 j) const { return transposed ? j * rows + i : i * columns + j; }
};

// Computes one product for each element of `batch`, of the matrices of a and b that its two operands select. How the
// work is divided does not depend on the number of threads, so the result does not either. Requires: a.columns ==
// b.rows.
typedef Status (*MatMulLoop)(OpKernelContext* context, const Matrices& a, const void* a_data, const Matrices& b,
                             const void* b_data, const Broadcast& batch, void* out);
// For one of MatMulTypes: on the host's threads, and on a GPU for the types that have GPU kernels.
MatMulLoop CpuMatMulLoop(DataType type);
MatMulLoop GpuMatMulLoop(DataType type);

// The factors of matrix products, in the form that the kernels of an instruction set take.
//
// These kernels multiply float, double and unsigned integers. float16 and bfloat16 are converted to float. A complex
// product is computed as a real one: [re, im] pairs in the rows of a, times the rows [re, im] and [-im, re] for each
// row of b, gives [re, im] pairs.

// The type in which T is multiplied.
template <typename T>
struct RealOf {
  typedef Wide<T> type;
};
template <>
struct RealOf<int32_t> {
  typedef uint32_t type;
};
template <>
struct RealOf<int64_t> {
  typedef uint64_t type;
};
template <typename T>
struct RealOf<std::complex<T>> {
  typedef T type;
};
template <typename T>
using Real = typename RealOf<T>::type;

// How many of them represent one T.
template <typename T>
constexpr int64 kParts = kIsComplex<T> ? 2 : 1;

// Whether T is multiplied in place, because Real<T> has the same representation.
template <typename T>
constexpr bool kIsReal = sizeof(T) == sizeof(Real<T>);

enum class Side { kLeft, kRight };

// Matrices of T as matrices of Real<T>: the tensor's own memory if possible.
template <typename T>
class RealMatrices {
 public:
  // `data` and `context` must outlive this object.
  Status Read(OpKernelContext* context, const Matrices& shape, Side side, const T* data) {
    if constexpr (kIsComplex<T>) {
      if (side == Side::kRight || shape.transposed || shape.conjugated) return CopyParts(context, shape, side, data);
      Set(shape, reinterpret_cast<const Real<T>*>(data), 2);
    } else if constexpr (!kIsReal<T>) {
      return Convert(context, shape, data);
    } else {
      Set(shape, reinterpret_cast<const Real<T>*>(data), 1);
    }
    return Status::OK();
  }

  MatrixView<Real<T>> operator[](int64 i) const { return {data_ + i * elements_, stride_, transposed_}; }

 private:
  void Set(const Matrices& shape, const Real<T>* data, int64 parts) {
    data_ = data;
    elements_ = shape.elements() * parts;
    transposed_ = shape.transposed;
    stride_ = transposed_ ? shape.rows : shape.columns * parts;
  }

  Status Allocate(OpKernelContext* context, int64 elements) {
    return context->allocate_temp(DataTypeToEnum<Real<T>>::value, TensorShape({elements}), &copy_);
  }

  Status Convert(OpKernelContext* context, const Matrices& shape, const T* data) {
    const int64 elements = shape.count * shape.elements();
    TF_RETURN_IF_ERROR(Allocate(context, elements));
    float* const out = copy_.flat<float>().data();
    ForElements(context, elements, 500, [&](int64 begin, int64 end) {
      for (int64 i = begin; i < end; ++i) out[i] = static_cast<float>(data[i]);
    });
    Set(shape, out, 1);
    return Status::OK();
  }

  Status CopyParts(OpKernelContext* context, const Matrices& shape, Side side, const T* data) {
    const int64 parts = side == Side::kRight ? 4 : 2, row = shape.columns * parts;
    TF_RETURN_IF_ERROR(Allocate(context, shape.count * shape.rows * row));
    Real<T>* const out = copy_.template flat<Real<T>>().data();
    Shard(context, shape.count * shape.rows, shape.columns * 2 + 1, [&](int64 begin, int64 end) {
      for (int64 i = begin; i < end; ++i) CopyRow(shape, side, data, i, out + i * row);
    });
    Set({shape.count, shape.rows, shape.columns}, out, parts);
    stride_ = shape.columns * 2;
    return Status::OK();
  }

  // Converts row `row`, counted through all matrices; for the right side also the row below it.
  static void CopyRow(const Matrices& shape, Side side, const T* data, int64 row, Real<T>* out) {
    const T* const matrix = data + row / shape.rows * shape.elements();
    for (int64 j = 0; j < shape.columns; ++j) {
      const T x = matrix[shape.At(row % shape.rows, j)];
      const Real<T> imaginary = shape.conjugated ? -x.imag() : x.imag();
      out[2 * j] = x.real();
      out[2 * j + 1] = imaginary;
      if (side == Side::kLeft) continue;
      out[2 * (shape.columns + j)] = -imaginary;
      out[2 * (shape.columns + j) + 1] = x.real();
    }
  }

  Tensor copy_;
  const Real<T>* data_ = nullptr;
  int64 elements_ = 0, stride_ = 0;
  bool transposed_ = false;
};

// The kernels for this processor. UNIMPLEMENTED: it is older than all compiled instruction sets.
Status FindKernels(const Kernels** kernels);

}  // namespace math_ops
