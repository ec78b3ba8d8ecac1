// opsrun/internal/shape_fns_index.h: shapes of ops that take parts of a tensor by index, and of concatenations and
// reductions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "opsrun/elements.h"
#include "opsrun/namespace.h"
#include "opsrun/shape_inference.h"
#include "opsrun/status.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// Output i has this shape if the status, with which it was made, is OK.
OPSRUN_COLD inline Status SetOutput(InferenceContext* c, int64_t i, Status status, const ShapeHandle& shape) {
  if (status.ok()) c->set_output(i, shape);
  return status;
}

}  // namespace internal
namespace shape_inference {

// Slices of input 0: each vector along the last dimension of input 1 is an index into the leading dimensions of input
// 0.
OPSRUN_COLD inline ReturnedStatus GatherNdShape(InferenceContext* c) {
  const ShapeHandle params = c->input(0);
  ShapeHandle indices, out, slice;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &indices));
  const DimensionHandle depth = c->Dim(indices, -1);
  if (!c->RankKnown(params) || !c->ValueKnown(depth)) {
    return internal::SetOutput(c, 0, Status(), c->UnknownShape());
  }
  if (c->Value(depth) > c->Rank(params)) {
    return internal::Invalid({"Indices of ", c->Value(depth), " numbers do not fit a tensor of rank ", c->Rank(params),
                              ": the indices are ", c->DebugString(indices), ", the tensor is ",
                              c->DebugString(params)});
  }
  TF_RETURN_IF_ERROR(c->Subshape(indices, 0, -1, &out));
  TF_RETURN_IF_ERROR(c->Subshape(params, c->Value(depth), &slice));
  return internal::SetOutput(c, 0, c->Concatenate(out, slice, &out), out);
}

}  // namespace shape_inference

namespace internal {

// The dimensions of a slice, which are its sizes. A size of -1 means the rest of the input after `begin`.
OPSRUN_COLD inline Status SliceDims(InferenceContext* c, ShapeHandle input, ShapeHandle begin, ShapeHandle size,
                                    std::vector<DimensionHandle>* dims) {
  const auto sizes = c->input_elements(2);
  TF_RETURN_IF_ERROR(c->WithRank(begin, c->Rank(size), &begin));
  TF_RETURN_IF_ERROR(c->WithRank(input, c->Rank(size), &input));
  for (int32_t i = 0; i < c->Rank(size); ++i) {
    DimensionHandle dim = c->Dim(size, i);
    const size_t at = static_cast<size_t>(i);
    if (sizes && at < sizes->size() && (*sizes)[at].known() && (*sizes)[at].value() == -1) {
      TF_RETURN_IF_ERROR(c->Subtract(c->Dim(input, i), c->Dim(begin, i), &dim));
    } else if (!c->ValueKnown(dim) && sizes && at < sizes->size() && !NeverNegative(c, (*sizes)[at])) {
      dim = c->UnknownDim();  // it may be -1
    }
    dims->push_back(dim);
  }
  return Status();
}

// Sets the elements of the slice, if its position and its shape are known.
OPSRUN_COLD inline void PassSlice(InferenceContext* c) {
  const auto begins = c->passed_elements(1);
  const ShapeHandle input = c->input(0), slice = c->output(0);
  if (!begins || !c->FullyDefined(input) || !c->FullyDefined(slice)) return;
  if (static_cast<int64_t>(begins->size()) != c->Rank(slice)) return;
  std::vector<std::vector<int64_t>> positions(begins->size());
  for (size_t i = 0; i < positions.size(); ++i) {
    const KnownElement& begin = (*begins)[i];
    const int64_t size = c->Value(c->Dim(slice, static_cast<int64_t>(i)));
    if (!begin.known() || begin.value() < 0 || size > OPSRUN_MAX_RANK) return;
    if (begin.value() > c->Value(c->Dim(input, static_cast<int64_t>(i))) - size) return;
    for (int64_t k = 0; k < size; ++k) positions[i].push_back(begin.value() + k);
  }
  shape_inference::TakeElements(c, 0, positions);
}

}  // namespace internal

namespace shape_inference {

// A slice of input 0. Inputs 1 and 2 are vectors with one element for each dimension: where the slice begins and how
// many elements it has. A size of -1 means all remaining elements.
OPSRUN_COLD inline ReturnedStatus SliceShape(InferenceContext* c) {
  ShapeHandle input = c->input(0), begins, sizes, begin, size;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &begins));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &sizes));
  TF_RETURN_IF_ERROR(c->Merge(begins, sizes, &begins));
  const DimensionHandle rank = c->Dim(begins, 0);
  if (c->ValueKnown(rank)) TF_RETURN_IF_ERROR(c->WithRank(input, c->Value(rank), &input));
  // Positions and sizes are not shapes, but they can be read as partially known shapes.
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &begin));
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(2, &size));
  std::vector<DimensionHandle> dims;
  if (c->RankKnown(size)) TF_RETURN_IF_ERROR(internal::SliceDims(c, input, begin, size, &dims));
  c->set_output(0, c->RankKnown(size) ? c->MakeShape(dims) : c->UnknownShapeOfRank(c->Rank(input)));
  internal::PassSlice(c);
  return Status();
}

// Input 0, with its leading dimensions, which are those of input 1, replaced by one dimension of the size in the scalar
// input 2.
OPSRUN_COLD inline ReturnedStatus UnsortedSegmentReductionShapeFn(InferenceContext* c) {
  ShapeHandle data = c->input(0), ids = c->input(1), scalar, out;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &scalar));
  if (!c->RankKnown(ids)) {
    return internal::SetOutput(c, 0, Status(), c->UnknownShape());
  }
  TF_RETURN_IF_ERROR(c->MergePrefix(data, ids, &data, &ids));
  DimensionHandle segments;
  TF_RETURN_IF_ERROR(c->MakeDimForScalarInput(2, &segments));
  TF_RETURN_IF_ERROR(c->Subshape(data, c->Rank(ids), &out));
  return internal::SetOutput(c, 0, c->Concatenate(c->Vector(segments), out, &out), out);
}

// The name since TensorFlow 2.13.
inline ReturnedStatus SegmentReductionWithNumSegmentsShapeFn(InferenceContext* c) {
  return UnsortedSegmentReductionShapeFn(c);
}

// Checks the shapes of an op that writes slices into a tensor: each vector along the last dimension of the indices is
// an index into the leading dimensions of the tensor, and the updates have a slice for it. Output 0, if there is one,
// has the shape of the tensor.
OPSRUN_COLD inline ReturnedStatus ScatterNdShapeHelper(InferenceContext* c, ShapeHandle indices, ShapeHandle updates,
                                                       ShapeHandle tensor) {
  const bool is_empty = c->Value(c->NumElements(tensor)) == 0;
  if (is_empty && (c->Value(c->NumElements(indices)) > 0 || c->Value(c->NumElements(updates)) > 0)) {
    return internal::Invalid({"Tensor ", c->DebugString(tensor), " has no elements to write updates ",
                              c->DebugString(updates), " at indices ", c->DebugString(indices)});
  }
  const bool has_slices = c->RankKnown(updates) && c->Rank(updates) != 0;
  if (has_slices) TF_RETURN_IF_ERROR(c->WithRankAtLeast(indices, 1, &indices));
  const int64_t depth = has_slices ? c->Value(c->Dim(indices, -1)) : -1;
  if (depth >= 0) {
    const int64_t outer = c->Rank(indices) - 1;
    ShapeHandle of_indices, of_updates, slice, merged;
    TF_RETURN_IF_ERROR(c->Subshape(indices, 0, outer, &of_indices));
    TF_RETURN_IF_ERROR(c->Subshape(updates, 0, outer, &of_updates));
    TF_RETURN_IF_ERROR(c->Merge(of_indices, of_updates, &merged));
    if (c->RankKnown(tensor)) {
      TF_RETURN_IF_ERROR(c->Subshape(updates, outer, &of_updates));
      TF_RETURN_IF_ERROR(c->Subshape(tensor, depth, &slice));
      TF_RETURN_IF_ERROR(c->Merge(slice, of_updates, &merged));
    }
  }
  if (c->num_outputs() > 0) c->set_output(0, tensor);
  return Status();
}

}  // namespace shape_inference

// Shapes of concatenations and reductions along axes that are input values.

namespace internal {

// Element i of an int32 or int64 tensor of axes, counted from the front. Fails if it is out of range.
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

// The common rank of inputs [begin, end), which must not be 0; -1 if all ranks are unknown.
OPSRUN_COLD inline Status CommonRank(InferenceContext* c, int64_t begin, int64_t end, int32_t* rank) {
  *rank = -1;
  for (int64_t i = begin; i < end && *rank < 0; ++i) *rank = c->Rank(c->input(i));
  if (*rank == 0) return Invalid({"Scalars cannot be concatenated"});
  const bool known = *rank > 0;
  for (int64_t i = begin; known && i < end; ++i) {
    ShapeHandle same_rank;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), *rank, &same_rank));
  }
  return Status();
}

// A shape in three parts: before an axis, the axis, and after it.
struct AroundAxis {
  ShapeHandle before, after;
  DimensionHandle at;

  // A negative axis counts from the end. If the rank is unknown, all parts are unknown, except the part after axis -1.
  OPSRUN_COLD Status Read(InferenceContext* c, int64_t input, int64_t axis) {
    ShapeHandle shape;
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(input), axis < 0 ? -axis : axis + 1, &shape));
    TF_RETURN_IF_ERROR(c->Subshape(shape, 0, axis, &before));
    at = c->Dim(shape, axis);
    after = c->Scalar();
    return axis == -1 ? ReturnedStatus() : c->Subshape(shape, axis + 1, &after);
  }
};

OPSRUN_COLD inline Status CannotJoin(InferenceContext* c, int64_t first, int64_t last, int64_t axis) {
  return Invalid({"All shapes must be the same but for dimension ", axis, ", and ", c->DebugString(c->input(first)),
                  " and ", c->DebugString(c->input(last)), " are not"});
}

// Inputs [begin, end), concatenated along the axis.
OPSRUN_COLD inline Status Joined(InferenceContext* c, int64_t begin, int64_t end, int64_t axis, ShapeHandle* out) {
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
OPSRUN_COLD inline Status ConcatAlong(InferenceContext* c, int64_t begin, int64_t end, int64_t axis_input) {
  ShapeHandle scalar, out;
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
OPSRUN_COLD inline Status SetReduced(InferenceContext* c, ShapeHandle shape, const Tensor& axes, bool keep_dims) {
  const int32_t rank = c->Rank(shape);
  bool reduced[OPSRUN_MAX_RANK] = {};
  for (int64_t i = 0; i < axes.NumElements(); ++i) {
    int64_t axis = 0;
    TF_RETURN_IF_ERROR(ReadAxis(axes, i, rank, &axis));
    reduced[axis] = true;
  }
  std::vector<DimensionHandle> dims;
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

// Input 0 without the axes in input 1, a scalar or vector. If the bool attr keep_dims is true, these dimensions are
// kept with size 1.
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
