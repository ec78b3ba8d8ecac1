// plugins/math_ops/matrices.h: products of many matrices: what they are of, and what computes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "broadcast.h"
#include "opsrun/op_kernel.h"
#include "types.h"

namespace math_ops {

typedef TypeList<half, bfloat16, float, double, int32_t, int64_t, complex64, complex128> MatMulTypes;
#define MATH_OPS_MATMUL_TYPES "half, bfloat16, float, double, int32, int64, complex64, complex128"

// `count` matrices, one after the other. A transposed one lies in memory as [columns, rows].
struct Matrices {
  int64 count, rows, columns;
  bool transposed = false, conjugated = false;

  int64 elements() const { return rows * columns; }
  // Where element (i, j) of a matrix is.
  int64 At(int64 i, int64 j) const { return transposed ? j * rows + i : i * columns + j; }
};

// Writes the products, one for each element of `batch`: of the matrices of a and b that its two operands have there.
// The work is divided in the same way on any number of threads, so the result does not depend on their number.
// Requires: a.columns == b.rows.
typedef opsrun::Status (*MatMulLoop)(opsrun::OpKernelContext* context, const Matrices& a, const void* a_data,
                                     const Matrices& b, const void* b_data, const Broadcast& batch, void* out);
// For one of MatMulTypes: on the host's threads, and on a GPU, where the types are those that GPU kernels have.
MatMulLoop CpuMatMulLoop(opsrun::DataType type);
MatMulLoop GpuMatMulLoop(opsrun::DataType type);

}  // namespace math_ops
