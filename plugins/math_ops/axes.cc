// plugins/math_ops/axes.cc: see axes.h.
// SPDX-License-Identifier: Apache-2.0
#include "axes.h"

#include <algorithm>
#include <string>

namespace math_ops {

using namespace opsrun;

Status ReadAxes(const Tensor& axes, int rank, bool* reduced) {
  std::fill(reduced, reduced + rank, false);
  if (axes.dims() > 1) {
    return errors::InvalidArgument("axes must be a scalar or a vector, but their shape is ", axes.shape().DebugString())
        .Blame("input:reduction_indices");
  }
  for (int64 i = 0; i < axes.NumElements(); ++i) {
    const int64 axis = axes.dtype() == DT_INT32 ? axes.flat<int32>()(i) : axes.flat<int64>()(i);
    if (axis < -rank || axis >= rank) {
      return errors::InvalidArgument("there is no axis ", axis, " in a tensor of rank ", rank)
          .Blame("input:reduction_indices");
    }
    bool* const found = &reduced[axis < 0 ? axis + rank : axis];
    if (*found) {
      return errors::InvalidArgument("axis ", axis, " is named twice; name each axis once")
          .Blame("input:reduction_indices");
    }
    *found = true;
  }
  return Status::OK();
}

Status ReadAxis(const Tensor& given, const char* input, int rank, int* axis) {
  const std::string blamed = std::string("input:") + input;
  if (given.dims() > 0) {
    return errors::InvalidArgument(input, " must be a scalar, but its shape is ", given.shape().DebugString())
        .Blame(blamed);
  }
  const int64 value = given.dtype() == DT_INT32 ? given.scalar<int32>()() : given.scalar<int64>()();
  if (value < -rank || value >= rank) {
    return errors::InvalidArgument("there is no ", input, " ", value, " in a tensor of rank ", rank).Blame(blamed);
  }
  *axis = static_cast<int>(value < 0 ? value + rank : value);
  return Status::OK();
}

Status AxesShapeFn(shape_inference::InferenceContext* c) {
  const Tensor* axes = c->input_tensor(1);
  bool reduced[OPSRUN_MAX_RANK];
  if (axes != nullptr && c->RankKnown(c->input(0))) TF_RETURN_IF_ERROR(ReadAxes(*axes, c->Rank(c->input(0)), reduced));
  return shape_inference::ReductionShape(c);
}

TensorShape ReducedShape(const TensorShape& shape, const bool* reduced, bool keep_dims) {
  TensorShape kept;
  for (int i = 0; i < shape.dims(); ++i) {
    if (!reduced[i]) kept.AddDim(shape.dim_size(i));
    if (reduced[i] && keep_dims) kept.AddDim(1);
  }
  return kept;
}

}  // namespace math_ops
