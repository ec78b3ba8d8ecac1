// plugins/array_ops/strided_slice_shape.h: the shape function of StridedSlice, for partly known inputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/shape_inference.h"
#include "strided_slice.h"

namespace array_ops {

// For an op whose inputs first, first + 1 and first + 2 are begin, end and strides.
opsrun::Status CheckStridedInputs(opsrun::shape_inference::InferenceContext* c, int first);

// Input 0 is sliced; inputs 1 to 3 are begin, end and strides.
opsrun::Status StridedSliceShape(opsrun::shape_inference::InferenceContext* c);

}  // namespace array_ops
