// plugins/math_ops/segment_ops.h: kernels of segment reductions, for any device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <limits>

#include "fold_loops.h"
#include "segments.h"

namespace math_ops {

// The output is [segments, width], the data is [rows, width].
struct SegmentSizes {
  int64 rows, width, segments;

  // Requires: the output has elements.
  SegmentSizes(const Tensor& ids, int64 count, const Tensor& output)
      : rows(ids.NumElements()), width(output.NumElements() / count), segments(count) {}
};

// A kernel with the inputs data and segment_ids (sorted), or data, segment_ids and num_segments (unsorted).
//
// Ids: a device's copy of the ids. Ids::Check(context, sorted, &segments) reads and checks them; the number of segments
// is an input for unsorted ids, and an output for sorted ones.
template <typename Ids>
class SegmentKernel : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const TensorShape data = context->input(0).shape(), ids = context->input(1).shape();
    const bool sorted = context->num_inputs() == 2;
    int64 segments = 0;
    TensorShape shape;
    Ids checked;
    OP_REQUIRES_OK(context, sorted ? CheckSortedShapes(data, ids) : CheckUnsortedShapes(data, ids));
    if (!sorted) OP_REQUIRES_OK(context, ReadNumSegments(context->input(2), &segments));
    OP_REQUIRES_OK(context, checked.Check(context, sorted, &segments));
    OP_REQUIRES_OK(context, SegmentsShape(data, ids.dims(), segments, sorted ? "segment_ids" : "num_segments", &shape));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    if (output->NumElements() == 0) return;
    OP_REQUIRES_OK(context, Run(context, checked, SegmentSizes(context->input(1), segments, *output), output));
  }

 protected:
  // Writes the output. Requires: it has elements, and the ids were checked.
  virtual Status Run(OpKernelContext* context, const Ids& ids, const SegmentSizes& sizes, Tensor* output) const = 0;
};

// Gives each row the gradient of its segment; the inputs are grad and segment_ids, in any order. Ids also has
// GatherRows(context, grad, rows, bytes, &output), which copies `bytes` bytes to each row, or zeros if its id is
// negative.
template <typename Ids>
class SegmentGradKernel : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor& grad = context->input(0);
    int64 segments = 0;
    TensorShape shape;
    Ids ids;
    OP_REQUIRES_OK(context, RowsShape(grad.shape(), context->input(1).shape(), &segments, &shape));
    OP_REQUIRES_OK(context, ids.Check(context, false, &segments));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    if (output->NumElements() == 0) return;
    const int64 rows = context->input(1).NumElements();
    const int64 bytes = output->NumElements() / rows * DataTypeSize(output->dtype());
    OP_REQUIRES_OK(context, ids.GatherRows(context, grad, rows, bytes, output));
  }
};

// The value of a segment without rows: the fold's initial value, zero, or the lowest or highest finite number.
enum class EmptySegment { kOfFold, kZero, kLowest, kHighest };

// The largest finite number of T, in the type T is computed in.
template <typename T>
constexpr Wide<T> kLargestFinite = std::numeric_limits<Wide<T>>::max();
template <>
inline constexpr float kLargestFinite<half> = 65504.0f;
template <>
inline constexpr float kLargestFinite<bfloat16> = 3.3895313892515355e38f;

// The bytes of one element; none for kOfFold.
struct EmptyValue {
  bool is_set = false;
  char bytes[16] = {};
};

// For LoopFor.
template <EmptySegment kEmpty>
struct EmptyValues {
  template <typename T>
  static EmptyValue Run() {
    EmptyValue value;
    value.is_set = kEmpty != EmptySegment::kOfFold;
    if constexpr (kEmpty == EmptySegment::kLowest || kEmpty == EmptySegment::kHighest) {
      constexpr Wide<T> kLowest = std::is_integral_v<T> ? std::numeric_limits<Wide<T>>::lowest() : -kLargestFinite<T>;
      const T limit = static_cast<T>(kEmpty == EmptySegment::kLowest ? kLowest : kLargestFinite<T>);
      std::memcpy(value.bytes, &limit, sizeof limit);
    }
    return value;
  }
};

// Writes `output`, which has at least one element: the fold of the rows of `data` with each id, on the host's threads.
// A segment without rows gets `empty`, if it is set. The elements of a segment are folded in order, in runs of adjacent
// rows, on any number of threads; so the result does not depend on their number. Requires: each id is below
// sizes.segments.
Status ReduceSegments(OpKernelContext* context, const Tensor& data, const std::vector<int64>& ids,
                      const SegmentSizes& sizes, const FoldLoops& loops, const EmptyValue& empty, Tensor* output);

}  // namespace math_ops
