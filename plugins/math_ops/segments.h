// plugins/math_ops/segments.h: segments, which are the rows of a tensor with the same id, and the checks and
// kernels of all ops on them.
//
// Ids correspond to the leading dimensions of the data, which together are its rows: data is [rows, width]. Sorted ids
// are a non-decreasing vector, and the last one determines the number of segments. Unsorted ids have any shape that is
// a prefix of data.shape; rows with a negative id are skipped. The inputs are named data, segment_ids and num_segments,
// and errors blame them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <limits>
#include <vector>

#include "fold_loops.h"
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

// Kernels of segment reductions, for any device.

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
