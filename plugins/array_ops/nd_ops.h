// plugins/array_ops/nd_ops.h: checks that the kernels of GatherNd and ScatterNd share, on any device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/status.h"
#include "opsrun/tensor.h"

namespace array_ops {

// INVALID_ARGUMENT: the vectors of indices are longer than `rank`, the rank of `what`.
opsrun::Status CheckDepth(const opsrun::Tensor& indices, int rank, const char* what);

// The leading dimensions of indices, then the dimensions of `whole` that the vectors do not index.
opsrun::Status NdShape(const opsrun::TensorShape& indices, const opsrun::TensorShape& whole,
                       opsrun::TensorShape* shape);

}  // namespace array_ops
