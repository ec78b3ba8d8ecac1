// plugins/math_ops/segment_reduce.h: reduces segments on the host's threads.
//
// The elements of a segment are folded in order, in runs of adjacent rows, on any number of threads; so the result does
// not depend on their number.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fold_loops.h"
#include "segment_ops.h"

namespace math_ops {

// Writes `output`, which has at least one element: the fold of the rows of `data` with each id. A segment without rows
// gets `empty`, if it is set. Requires: each id is below sizes.segments.
opsrun::Status ReduceSegments(opsrun::OpKernelContext* context, const opsrun::Tensor& data,
                              const std::vector<int64>& ids, const SegmentSizes& sizes, const FoldLoops& loops,
                              const EmptyValue& empty, opsrun::Tensor* output);

}  // namespace math_ops
