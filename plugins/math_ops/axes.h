// plugins/math_ops/axes.h: the axes of a reduction, which are its second input.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/common_shape_fns.h"
#include "opsrun/elements.h"
#include "opsrun/tensor.h"
#include "types.h"

namespace math_ops {

// Sets reduced[i] for each of `rank` dimensions to whether the axes, a scalar or vector of int32 or int64, name it.
// INVALID_ARGUMENT: there is no such dimension, or an axis is named twice.
opsrun::Status ReadAxes(const opsrun::Tensor& axes, int rank, bool* reduced);

// Sets *axis to the dimension that the input of that name, a scalar of int32 or int64 in CPU memory, names in a tensor
// of this rank. INVALID_ARGUMENT, blaming the input: there is none.
opsrun::Status ReadAxis(const opsrun::Tensor& given, const char* input, int rank, int* axis);

// The shape function of reductions: ReductionShape, which also refuses axes that are named twice.
opsrun::Status AxesShapeFn(opsrun::shape_inference::InferenceContext* c);

// The same for an op that folds the elements along the axes, beginning with kFirst.
template <int64_t kFirst, opsrun::shape_inference::ElementFunction kFunction>
opsrun::Status FoldedShape(opsrun::shape_inference::InferenceContext* c) {
  bool reduced[OPSRUN_MAX_RANK];
  const opsrun::Tensor* axes = c->input_tensor(1);
  TF_RETURN_IF_ERROR(AxesShapeFn(c));
  if (axes == nullptr || !c->passed_elements(0)) return opsrun::Status::OK();
  TF_RETURN_IF_ERROR(ReadAxes(*axes, c->Rank(c->input(0)), reduced));
  opsrun::shape_inference::FoldElements(c, reduced, kFirst, kFunction);
  return opsrun::Status::OK();
}

// The shape without the reduced dimensions, or with ones in their place.
opsrun::TensorShape ReducedShape(const opsrun::TensorShape& shape, const bool* reduced, bool keep_dims);

}  // namespace math_ops
