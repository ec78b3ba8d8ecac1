// plugins/math_ops/segment_reduce.h: reduces segments on the host's threads.
//
// The elements of a segment are folded in their order, in runs of rows that are next to each other, however many
// threads there are; so the result does not depend on their number.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fold_loops.h"
#include "segment_ops.h"

namespace math_ops {

// Writes the elements of `output`, of which there is at least one: what the rows of `data` with each id give. A segment
// without rows gives `empty`, if it is set. Requires: each id is below sizes.segments.
opsrun::Status ReduceSegments(opsrun::OpKernelContext* context, const opsrun::Tensor& data,
                              const std::vector<int64>& ids, const SegmentSizes& sizes, const FoldLoops& loops,
                              const EmptyValue& empty, opsrun::Tensor* output);

}  // namespace math_ops
