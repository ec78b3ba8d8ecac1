// plugins/math_ops/sum_ops.h: the shapes of SumToShape.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/shape_inference.h"
#include "opsrun/tensor.h"

namespace math_ops {

// The shape in a vector of int32 or int64. INVALID_ARGUMENT, blaming input "shape": it is not a shape.
opsrun::Status ReadShape(const opsrun::Tensor& sizes, opsrun::TensorShape* shape);

// Sets summed[i] to whether dimension i of the input is summed. INVALID_ARGUMENT: `shape` cannot be broadcast to the
// input's shape.
opsrun::Status FindSummedDims(const opsrun::TensorShape& input, const opsrun::TensorShape& shape, bool* summed);

opsrun::Status SumToShapeShapeFn(opsrun::shape_inference::InferenceContext* c);

}  // namespace math_ops
