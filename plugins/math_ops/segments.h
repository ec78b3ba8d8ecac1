// plugins/math_ops/segments.h: segments, which are the rows of a tensor with the same id, and the checks of all ops on
// them.
//
// Ids correspond to the leading dimensions of the data, which together are its rows: data is [rows, width]. Sorted ids
// are a non-decreasing vector, and the last one determines the number of segments. Unsorted ids have any shape that is
// a prefix of data.shape; rows with a negative id are skipped. The inputs are named data, segment_ids and num_segments,
// and errors blame them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "opsrun/shape_inference.h"
#include "types.h"

namespace math_ops {

// All ids of an int16, int32 or int64 tensor.
std::vector<int64> ReadIds(const Tensor& ids);

// Sets *segments to the number of segments. INVALID_ARGUMENT: the ids are not sorted, or one is negative.
Status CountSorted(const std::vector<int64>& ids, int64* segments);
// INVALID_ARGUMENT: an id is not below `segments`. `shape` is that of the ids.
Status CheckBelow(const std::vector<int64>& ids, const TensorShape& shape, int64 segments);

// The errors of these checks: sorted id i is invalid after the id `before` (-1 for the first); id i of a tensor of ids
// is too large; and the number of segments would overflow with the largest id `id`.
Status WrongSortedId(int64 i, int64 before, int64 id);
Status TooLargeId(const TensorShape& ids, int64 i, int64 id, int64 segments);
Status NoSuchSize(int64 i, int64 id);

// INVALID_ARGUMENT: the shapes of ids and data do not match.
Status CheckSortedShapes(const TensorShape& data, const TensorShape& ids);
Status CheckUnsortedShapes(const TensorShape& data, const TensorShape& ids);
Status ReadNumSegments(const Tensor& num_segments, int64* segments);

// [segments] + data.shape without the dimensions of the ids. `name` is the input that determines the number of
// segments.
Status SegmentsShape(const TensorShape& data, int rank_of_ids, int64 segments, const char* name, TensorShape* shape);

// ids.shape + grad.shape[1:], where grad has a row for each segment; sets *segments to their number.
Status RowsShape(const TensorShape& grad, const TensorShape& ids, int64* segments, TensorShape* shape);

// Shape functions of ops with data and sorted ids; with data, ids and num_segments; with grad and ids.
Status SortedSegmentsShapeFn(shape_inference::InferenceContext* c);
Status UnsortedSegmentsShapeFn(shape_inference::InferenceContext* c);
Status SegmentRowsShapeFn(shape_inference::InferenceContext* c);

// For shape functions: checks that the shape of input `ids` is a prefix of that of input `data`, and merges them.
Status MergeRows(shape_inference::InferenceContext* c, int data, int ids);

}  // namespace math_ops
