// plugins/array_ops/gather_layout.h: how Gather and GatherV2 see their inputs.
//
// params is [batch, before, size, slice], indices is [batch, count], and the result is [batch, before, count, slice].
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/shape_inference.h"
#include "opsrun/tensor.h"

namespace array_ops {

using opsrun::int64;

struct GatherLayout {
  int64 batch = 1, before = 1, size = 1, slice = 1, count = 1;
  int axis = 0;
  opsrun::TensorShape result;

  // INVALID_ARGUMENT: axis or batch_dims are out of range, or the batch dimensions differ. `axis_input` is NULL for 0.
  opsrun::Status Make(const opsrun::TensorShape& params, const opsrun::TensorShape& indices,
                      const opsrun::Tensor* axis_input, int64 batch_dims);
};

// params, indices
opsrun::Status GatherShape(opsrun::shape_inference::InferenceContext* c);
// params, indices, axis
opsrun::Status GatherV2Shape(opsrun::shape_inference::InferenceContext* c);

}  // namespace array_ops
