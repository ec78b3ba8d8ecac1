// plugins/math_ops/segments.h: segments, the rows of a tensor that have one id, and what all ops on them check.
//
// Ids belong to the first dimensions of the data, which together are its rows: data is [rows, width]. Sorted ids are a
// vector that never decreases, and there are as many segments as the last one says. Unsorted ids have any shape that
// data.shape begins with; a negative one drops its row. The inputs are called data, segment_ids and num_segments, and
// get the blame.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "opsrun/shape_inference.h"
#include "opsrun/tensor.h"
#include "types.h"

namespace math_ops {

// All ids of an int16, int32 or int64 tensor.
std::vector<int64> ReadIds(const opsrun::Tensor& ids);

// Sets *segments to how many there are. INVALID_ARGUMENT: the ids are not sorted, or one is negative.
opsrun::Status CountSorted(const std::vector<int64>& ids, int64* segments);
// Each id must be below `segments`. `shape` is that of the ids.
opsrun::Status CheckBelow(const std::vector<int64>& ids, const opsrun::TensorShape& shape, int64 segments);

// The errors of these checks: id i of sorted ones, of which the one before is `before` (-1 for the first), is wrong;
// id i of a tensor of ids is too large; and the largest id is one below the number of segments, so it cannot be `id`.
opsrun::Status WrongSortedId(int64 i, int64 before, int64 id);
opsrun::Status TooLargeId(const opsrun::TensorShape& ids, int64 i, int64 id, int64 segments);
opsrun::Status NoSuchSize(int64 i, int64 id);

// Do the ids fit the data?
opsrun::Status CheckSortedShapes(const opsrun::TensorShape& data, const opsrun::TensorShape& ids);
opsrun::Status CheckUnsortedShapes(const opsrun::TensorShape& data, const opsrun::TensorShape& ids);
opsrun::Status ReadNumSegments(const opsrun::Tensor& num_segments, int64* segments);

// [segments] + data.shape without the dimensions of the ids. `name` is the input that says how many segments there are.
opsrun::Status SegmentsShape(const opsrun::TensorShape& data, int rank_of_ids, int64 segments, const char* name,
                             opsrun::TensorShape* shape);

// ids.shape + grad.shape[1:], of a gradient that has a row for each segment; sets *segments to their number.
opsrun::Status RowsShape(const opsrun::TensorShape& grad, const opsrun::TensorShape& ids, int64* segments,
                         opsrun::TensorShape* shape);

// Shape functions: of data and sorted ids; of data, ids and num_segments; of grad and ids.
opsrun::Status SortedSegmentsShapeFn(opsrun::shape_inference::InferenceContext* c);
opsrun::Status UnsortedSegmentsShapeFn(opsrun::shape_inference::InferenceContext* c);
opsrun::Status SegmentRowsShapeFn(opsrun::shape_inference::InferenceContext* c);

// In shape functions: the shape of input `ids` must be what that of input `data` begins with, as far as both are known.
opsrun::Status MergeRows(opsrun::shape_inference::InferenceContext* c, int data, int ids);

}  // namespace math_ops
