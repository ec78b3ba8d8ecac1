// plugins/array_ops/strided_slice.h: what begin, end, strides and masks of a StridedSlice mean for each dimension.
//
// An entry of the three vectors describes one dimension of the input, or an ellipsis (all dimensions that no other
// entry describes), or a new dimension of size 1.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "opsrun/shape_inference.h"
#include "opsrun/status.h"
#include "opsrun/tensor_shape.h"

namespace array_ops {

using opsrun::int64;

struct StridedMasks {
  int64 begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink_axis = 0;

  // From a kernel's construction or a shape function's context.
  template <typename Context>
  opsrun::Status Read(Context* context) {
    TF_RETURN_IF_ERROR(context->GetAttr("begin_mask", &begin));
    TF_RETURN_IF_ERROR(context->GetAttr("end_mask", &end));
    TF_RETURN_IF_ERROR(context->GetAttr("ellipsis_mask", &ellipsis));
    TF_RETURN_IF_ERROR(context->GetAttr("new_axis_mask", &new_axis));
    return context->GetAttr("shrink_axis_mask", &shrink_axis);
  }
};

// The entries for one dimension of the input: which entry it is, or -1 if an ellipsis covers it.
struct SlicedDim {
  int entry = -1;
  bool shrink = false;
};

struct StridedLayout {
  std::vector<SlicedDim> dims;  // of the input
  std::vector<int> final_dims;  // of the output: a dimension of the input, or -1 for a new one
};

// INVALID_ARGUMENT: there are more entries than dimensions, or two ellipses.
opsrun::Status MakeStridedLayout(const StridedMasks& masks, int entries, int rank, StridedLayout* layout);

// The elements begin, begin + stride, ... of a dimension, `count` of them.
struct Progression {
  int64 begin = 0, stride = 1, count = 0;
};

// The values of the vectors. INVALID_ARGUMENT: a stride is 0, or the index of a removed dimension is out of range.
struct StridedValues {
  std::vector<int64> begin, end, strides;

  opsrun::Status Resolve(const StridedMasks& masks, const SlicedDim& dim, int axis, int64 size,
                         Progression* taken) const;
};

// The shape function of StridedSlice, for partly known inputs.

// For an op whose inputs first, first + 1 and first + 2 are begin, end and strides.
opsrun::Status CheckStridedInputs(opsrun::shape_inference::InferenceContext* c, int first);

// Input 0 is sliced; inputs 1 to 3 are begin, end and strides.
opsrun::Status StridedSliceShape(opsrun::shape_inference::InferenceContext* c);

}  // namespace array_ops
