// opsrun/internal/shape_fns_index.h: shapes of what is taken from a tensor by indices.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "opsrun/elements.h"
#include "opsrun/namespace.h"
#include "opsrun/shape_inference.h"
#include "opsrun/status.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace shape_inference {

// Slices of input 0: each vector along the last dimension of input 1 is an index into the leading dimensions of input
// 0.
OPSRUN_COLD inline ReturnedStatus GatherNdShape(InferenceContext* c) {
  const ShapeHandle params = c->input(0);
  ShapeHandle indices, out, slice;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &indices));
  const DimensionHandle depth = c->Dim(indices, -1);
  if (!c->RankKnown(params) || !c->ValueKnown(depth)) {
    c->set_output(0, c->UnknownShape());
    return Status();
  }
  if (c->Value(depth) > c->Rank(params)) {
    return internal::Invalid({"Indices of ", c->Value(depth), " numbers do not fit a tensor of rank ", c->Rank(params),
                              ": the indices are ", c->DebugString(indices), ", the tensor is ",
                              c->DebugString(params)});
  }
  TF_RETURN_IF_ERROR(c->Subshape(indices, 0, -1, &out));
  TF_RETURN_IF_ERROR(c->Subshape(params, c->Value(depth), &slice));
  TF_RETURN_IF_ERROR(c->Concatenate(out, slice, &out));
  c->set_output(0, out);
  return Status();
}

}  // namespace shape_inference

namespace internal {

// The dimensions of a slice, which are its sizes. The size -1 means the rest of the input after `begin`.
OPSRUN_COLD inline Status SliceDims(shape_inference::InferenceContext* c, shape_inference::ShapeHandle input,
                                    shape_inference::ShapeHandle begin, shape_inference::ShapeHandle size,
                                    std::vector<shape_inference::DimensionHandle>* dims) {
  const auto sizes = c->input_elements(2);
  TF_RETURN_IF_ERROR(c->WithRank(begin, c->Rank(size), &begin));
  TF_RETURN_IF_ERROR(c->WithRank(input, c->Rank(size), &input));
  for (int32_t i = 0; i < c->Rank(size); ++i) {
    shape_inference::DimensionHandle dim = c->Dim(size, i);
    const size_t at = static_cast<size_t>(i);
    if (sizes && at < sizes->size() && (*sizes)[at].known() && (*sizes)[at].value() == -1) {
      TF_RETURN_IF_ERROR(c->Subtract(c->Dim(input, i), c->Dim(begin, i), &dim));
    } else if (!c->ValueKnown(dim) && sizes && at < sizes->size() && !NeverNegative(c, (*sizes)[at])) {
      dim = c->UnknownDim();  // it may be the -1
    }
    dims->push_back(dim);
  }
  return Status();
}

// The elements of the slice, once its place and its shape are known.
OPSRUN_COLD inline void PassSlice(shape_inference::InferenceContext* c) {
  const auto begins = c->passed_elements(1);
  const shape_inference::ShapeHandle input = c->input(0), slice = c->output(0);
  if (!begins || !c->FullyDefined(input) || !c->FullyDefined(slice)) return;
  if (static_cast<int64_t>(begins->size()) != c->Rank(slice)) return;
  std::vector<std::vector<int64_t>> positions(begins->size());
  for (size_t i = 0; i < positions.size(); ++i) {
    const shape_inference::KnownElement& begin = (*begins)[i];
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

// Input 0, whose leading dimensions, which are those of input 1, are replaced by one dimension of the size in the
// scalar input 2.
OPSRUN_COLD inline ReturnedStatus UnsortedSegmentReductionShapeFn(InferenceContext* c) {
  ShapeHandle data = c->input(0), ids = c->input(1), scalar, out;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &scalar));
  if (!c->RankKnown(ids)) {
    c->set_output(0, c->UnknownShape());
    return Status();
  }
  TF_RETURN_IF_ERROR(c->MergePrefix(data, ids, &data, &ids));
  DimensionHandle segments;
  TF_RETURN_IF_ERROR(c->MakeDimForScalarInput(2, &segments));
  TF_RETURN_IF_ERROR(c->Subshape(data, c->Rank(ids), &out));
  TF_RETURN_IF_ERROR(c->Concatenate(c->Vector(segments), out, &out));
  c->set_output(0, out);
  return Status();
}

// The name that TensorFlow has since 2.13.
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
}  // namespace OPSRUN_HIDDEN
