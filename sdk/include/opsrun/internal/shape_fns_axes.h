// opsrun/internal/shape_fns_axes.h: shapes of concatenations and reductions along axes that are input values.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "opsrun/elements.h"
#include "opsrun/namespace.h"
#include "opsrun/shape_inference.h"
#include "opsrun/status.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// Element i of an int32 or int64 tensor of axes, counted from the front. Fails if there is no such dimension.
OPSRUN_COLD inline Status ReadAxis(const Tensor& axes, int64_t i, int32_t rank, int64_t* axis) {
  if (axes.dtype() == DT_INT32) {
    *axis = static_cast<const int32_t*>(axes.data())[i];
  } else if (axes.dtype() == DT_INT64) {
    *axis = static_cast<const int64_t*>(axes.data())[i];
  } else {
    return Invalid({"Axes must be int32 or int64, but are ", DataTypeName(axes.dtype())});
  }
  if (*axis < -int64_t{rank} || *axis >= rank) return Invalid({"A tensor of rank ", rank, " has no axis ", *axis});
  if (*axis < 0) *axis += rank;
  return Status();
}

// The common rank of inputs [begin, end), which must not be 0; -1 if the rank of no input is known.
OPSRUN_COLD inline Status CommonRank(shape_inference::InferenceContext* c, int64_t begin, int64_t end, int32_t* rank) {
  *rank = -1;
  for (int64_t i = begin; i < end && *rank < 0; ++i) *rank = c->Rank(c->input(i));
  if (*rank == 0) return Invalid({"Scalars cannot be concatenated"});
  const bool known = *rank > 0;
  for (int64_t i = begin; known && i < end; ++i) {
    shape_inference::ShapeHandle same_rank;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), *rank, &same_rank));
  }
  return Status();
}

// A shape in three parts: before an axis, the axis, and after it.
struct AroundAxis {
  shape_inference::ShapeHandle before, after;
  shape_inference::DimensionHandle at;

  // A negative axis counts from the end. If the rank is unknown, all parts are unknown, except the part after axis -1.
  OPSRUN_COLD Status Read(shape_inference::InferenceContext* c, int64_t input, int64_t axis) {
    shape_inference::ShapeHandle shape;
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(input), axis < 0 ? -axis : axis + 1, &shape));
    TF_RETURN_IF_ERROR(c->Subshape(shape, 0, axis, &before));
    at = c->Dim(shape, axis);
    after = c->Scalar();
    return axis == -1 ? ReturnedStatus() : c->Subshape(shape, axis + 1, &after);
  }
};

OPSRUN_COLD inline Status CannotJoin(shape_inference::InferenceContext* c, int64_t first, int64_t last, int64_t axis) {
  return Invalid({"All shapes must be the same but for dimension ", axis, ", and ", c->DebugString(c->input(first)),
                  " and ", c->DebugString(c->input(last)), " are not"});
}

// Inputs [begin, end), concatenated along the axis.
OPSRUN_COLD inline Status Joined(shape_inference::InferenceContext* c, int64_t begin, int64_t end, int64_t axis,
                                 shape_inference::ShapeHandle* out) {
  if (axis < -OPSRUN_MAX_RANK || axis >= OPSRUN_MAX_RANK) return Invalid({"No tensor has an axis ", axis});
  // From the last to the first, so that the handle of the first input is kept if two handles are equivalent.
  AroundAxis joined, next;
  TF_RETURN_IF_ERROR(joined.Read(c, end - 1, axis));
  for (int64_t i = end - 2; i >= begin; --i) {
    TF_RETURN_IF_ERROR(next.Read(c, i, axis));
    const bool fit = c->Merge(next.before, joined.before, &joined.before).ok() &&
                     c->Merge(next.after, joined.after, &joined.after).ok();
    if (!fit) return CannotJoin(c, i, end - 1, axis);
    TF_RETURN_IF_ERROR(c->Add(joined.at, next.at, &joined.at));
  }
  TF_RETURN_IF_ERROR(c->Concatenate(joined.before, c->Vector(joined.at), out));
  return c->Concatenate(*out, joined.after, out);
}

// Output 0 is inputs [begin, end), concatenated along the axis that input `axis_input` holds.
OPSRUN_COLD inline Status ConcatAlong(shape_inference::InferenceContext* c, int64_t begin, int64_t end,
                                      int64_t axis_input) {
  shape_inference::ShapeHandle scalar, out;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(axis_input), 0, &scalar));
  if (begin >= end) return Invalid({"Nothing to concatenate"});
  if (const Tensor* value = c->input_tensor(axis_input)) {
    int64_t axis = 0;
    TF_RETURN_IF_ERROR(c->GetScalarFromTensor(value, &axis));
    TF_RETURN_IF_ERROR(Joined(c, begin, end, axis, &out));
    c->set_output(0, out);
    if (c->RankKnown(out)) shape_inference::JoinElements(c, begin, end, axis < 0 ? axis + c->Rank(out) : axis);
  } else {
    int32_t rank = -1;
    TF_RETURN_IF_ERROR(CommonRank(c, begin, end, &rank));
    c->set_output(0, c->UnknownShapeOfRank(rank));
  }
  return Status();
}

// Output 0: the shape without the axes, or with size 1 along them. The rank must be known.
OPSRUN_COLD inline Status SetReduced(shape_inference::InferenceContext* c, shape_inference::ShapeHandle shape,
                                     const Tensor& axes, bool keep_dims) {
  const int32_t rank = c->Rank(shape);
  bool reduced[OPSRUN_MAX_RANK] = {};
  for (int64_t i = 0; i < axes.NumElements(); ++i) {
    int64_t axis = 0;
    TF_RETURN_IF_ERROR(ReadAxis(axes, i, rank, &axis));
    reduced[axis] = true;
  }
  std::vector<shape_inference::DimensionHandle> dims;
  for (int32_t i = 0; i < rank; ++i) {
    if (!reduced[i]) dims.push_back(c->Dim(shape, i));
    if (reduced[i] && keep_dims) dims.push_back(c->MakeDim(1));
  }
  c->set_output(0, c->MakeShape(dims));
  return Status();
}

}  // namespace internal

namespace shape_inference {

// Input 0 is the axis; the next `count` inputs are concatenated along it.
OPSRUN_COLD inline ReturnedStatus ConcatShape(InferenceContext* c, int count) {
  return internal::ConcatAlong(c, 1, 1 + int64_t{count}, 0);
}

// The last input is the axis; the inputs before it are concatenated along it.
OPSRUN_COLD inline ReturnedStatus ConcatV2Shape(InferenceContext* c) {
  return internal::ConcatAlong(c, 0, c->num_inputs() - 1, c->num_inputs() - 1);
}

// Input 0 without the dimensions that input 1, a scalar or vector of axes, names. If the bool attr keep_dims is true,
// these dimensions are kept with size 1.
OPSRUN_COLD inline ReturnedStatus ReductionShape(InferenceContext* c) {
  ShapeHandle axes_shape;
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(1), 1, &axes_shape));
  bool keep_dims = false;
  TF_RETURN_IF_ERROR(c->GetAttr("keep_dims", &keep_dims));
  const ShapeHandle input = c->input(0);
  const int32_t rank = c->Rank(input);
  const Tensor* axes = c->input_tensor(1);
  if (axes == nullptr || rank < 0) {
    c->set_output(0, c->UnknownShapeOfRank(keep_dims ? rank : c->kUnknownRank));
    return Status();
  }
  return internal::SetReduced(c, input, *axes, keep_dims);
}

}  // namespace shape_inference
}  // namespace OPSRUN_HIDDEN
