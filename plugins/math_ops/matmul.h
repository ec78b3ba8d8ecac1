// plugins/math_ops/matmul.h: products of many matrices, on the host's threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa_kernels.h"
#include "opsrun/op_kernel.h"
#include "real_matrices.h"

namespace math_ops {

// The kernels for this processor, or UNIMPLEMENTED: it is older than all that were compiled.
opsrun::Status FindKernels(const Kernels** kernels);

}  // namespace math_ops
