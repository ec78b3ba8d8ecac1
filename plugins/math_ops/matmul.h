// plugins/math_ops/matmul.h: products of many matrices, on the host's threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "isa_kernels.h"
#include "opsrun/op_kernel.h"
#include "real_matrices.h"
#include "types.h"

namespace math_ops {

typedef TypeList<half, bfloat16, float, double, int32_t, int64_t, complex64, complex128> MatMulTypes;
#define MATH_OPS_MATMUL_TYPES "half, bfloat16, float, double, int32, int64, complex64, complex128"

// Product i is that of matrix left[i] of a and matrix right[i] of b.
struct MatrixPairs {
  std::vector<int64> left, right;
};

// Writes the products one after the other. The work is divided in the same way on any number of threads, so the result
// does not depend on their number. Requires: a.columns == b.rows.
typedef opsrun::Status (*MatMulLoop)(opsrun::OpKernelContext* context, const Matrices& a, const void* a_data,
                                     const Matrices& b, const void* b_data, const MatrixPairs& pairs, void* out);

// Requires: `type` is one of MatMulTypes.
MatMulLoop MatMulLoopFor(opsrun::DataType type);

// The kernels for this processor, or UNIMPLEMENTED: it is older than all that were compiled.
opsrun::Status FindKernels(const Kernels** kernels);

}  // namespace math_ops
