// plugins/math_ops/segment_ops.cc: reductions of the rows of a tensor that have the same id, and the gradient of their
// sum.
// SPDX-License-Identifier: Apache-2.0

#include "reduce.h"
#include "segments.h"

namespace math_ops {
namespace {

class CpuSegmentIds {
 public:
  const std::vector<int64>& all() const { return ids_; }

  Status Check(OpKernelContext* context, bool sorted, int64* segments) {
    const Tensor& ids = context->input(1);
    ids_ = ReadIds(ids);
    return sorted ? CountSorted(ids_, segments) : CheckBelow(ids_, ids.shape(), *segments);
  }
  Status GatherRows(OpKernelContext* context, const Tensor& grad, int64 rows, int64 bytes, Tensor* output) const {
    const char* const from = static_cast<const char*>(grad.data());
    char* const to = static_cast<char*>(output->data());
    const auto size = static_cast<size_t>(bytes);
    Shard(context, rows, bytes / 8 + 5, [&](int64 begin, int64 end) {
      for (int64 row = begin; row < end; ++row) {
        const int64 id = ids_[static_cast<size_t>(row)];
        id < 0 ? std::memset(to + row * bytes, 0, size) : std::memcpy(to + row * bytes, from + id * bytes, size);
      }
    });
    return Status::OK();
  }

 private:
  std::vector<int64> ids_;
};

template <typename Fold, typename Types, EmptySegment kEmpty = EmptySegment::kOfFold>
class SegmentOp : public SegmentKernel<CpuSegmentIds> {
 public:
  explicit SegmentOp(OpKernelConstruction* context)
      : SegmentKernel(context),
        loops_(FastestFold<Fold, Types>(context->input_type(0))),
        empty_(LoopFor<EmptyValues<kEmpty>>(context->input_type(0), Types())()) {}

 protected:
  Status Run(OpKernelContext* context, const CpuSegmentIds& ids, const SegmentSizes& sizes,
             Tensor* output) const override {
    return ReduceSegments(context, context->input(0), ids.all(), sizes, *loops_, empty_, output);
  }

 private:
  const FoldLoops* const loops_;
  const EmptyValue empty_;
};

// Ops on segments: `does` and `details` begin their docs, `what` describes the output.
#define REGISTER_SORTED(name, types, gradient, does, details, what)                                                 \
  REGISTER_OP(name)                                                                                                 \
      .Input("data: T")                                                                                             \
      .Input("segment_ids: Tindices")                                                                               \
      .Output("output: T")                                                                                          \
      .Attr("T: " types)                                                                                            \
      .Attr("Tindices: {int32, int64}")                                                                             \
      .SetShapeFn(SortedSegmentsShapeFn)                                                                            \
      .Gradient(gradient)                                                                                           \
      .Doc(does                                                                                                     \
           " the rows of each segment: the rows that have one id, where ids are sorted.\n\n" details                \
           "\n\ndata: A tensor of one dimension or more. Its rows are its slices along the first one.\n"            \
           "segment_ids: A vector with an id for each row, sorted: no id is less than the one before. A negative\n" \
           "    id is an error.\n"                                                                                  \
           "output: " what " Row i is that of the rows with id i, and there is one row more than the last id says.\n")

#define REGISTER_UNSORTED(name, types, indices, gradient, does, details, what)                                        \
  REGISTER_OP(name)                                                                                                   \
      .Input("data: T")                                                                                               \
      .Input("segment_ids: Tindices")                                                                                 \
      .Input("num_segments: Tnumsegments")                                                                            \
      .Output("output: T")                                                                                            \
      .Attr("T: " types)                                                                                              \
      .Attr("Tindices: {" indices "}")                                                                                \
      .Attr("Tnumsegments: {int32, int64} = DT_INT32")                                                                \
      .SetShapeFn(UnsortedSegmentsShapeFn)                                                                            \
      .Gradient(gradient)                                                                                             \
      .Doc(does                                                                                                       \
           " the rows of each segment: the rows that have one id, where ids have any order.\n\n" details              \
           "\n\ndata: A tensor.\n"                                                                                    \
           "segment_ids: Ids in any order, in a shape that data.shape begins with: a row is what data holds at the\n" \
           "    place of an id. A row with a negative id is dropped. An id that is not below num_segments is an\n"    \
           "    error.\n"                                                                                             \
           "num_segments: A scalar, the number of segments.\n"                                                        \
           "output: " what                                                                                            \
           " Row i is that of the rows with id i. Its shape is [num_segments] +\n"                                    \
           "    data.shape[segment_ids.rank:].\n")

#define TO_SORTED "outputs: {data: ddata, segment_ids: null}\n"
#define TO_UNSORTED "outputs: {data: ddata, segment_ids: null, num_segments: null}\n"

#define ROUNDED(computed)                                                      \
  " float16 and bfloat16 are " computed                                        \
  " as float32 and rounded once. The result does not depend on the number of " \
  "threads."
#define PRODUCT_DETAILS "Without rows, a product is 1. Integers wrap on overflow." ROUNDED("multiplied")
#define SHARED " It is NaN if one of the numbers is NaN. In the gradient, equal numbers share equally."

REGISTER_SORTED("SegmentSum", "numbertype", "nodes: {ddata: {op: Gather, in: [grad.output, segment_ids]}}\n" TO_SORTED,
                "Adds", "Without rows, a sum is 0. Integers wrap on overflow." ROUNDED("added"), "The sums.");
REGISTER_UNSORTED(
    "UnsortedSegmentSum", "numbertype", "int16, int32, int64",
    "nodes: {ddata: {op: UnsortedSegmentSumGrad, in: [grad.output, segment_ids]}}\n" TO_UNSORTED, "Adds",
    "Without rows, a sum is 0. Rows are added in their order. Integers wrap on overflow." ROUNDED("added"),
    "The sums.");

REGISTER_SORTED("SegmentMean", "numbertype", R"yaml(
feeds:
  zero: {value: 0, dtype: int32}
  one: {value: 1, dtype: int32}
  second: {value: [1], dtype: int32}
  all: {value: [-1], dtype: int32}
nodes:
  shape: {op: Shape, in: data}
  ones_shape: {op: OnesLike, in: shape}
  rest: {op: Slice, in: [ones_shape, second, all]}
  rows: {op: Shape, in: segment_ids}
  column: {op: ConcatV2, in: {values: [rows, rest], axis: zero}}
  ones: {op: Fill, in: [column, one]}
  counts: {op: SegmentSum, in: [ones, segment_ids]}
  some: {op: Maximum, in: [counts, one]}
  count: {op: Cast, in: some, attrs: {DstT: {attr: T}}}
  share: {op: RealDiv, in: [grad.output, count]}
  ddata: {op: Gather, in: [share, segment_ids]}
)yaml" TO_SORTED,
                "Computes the mean of",
                "Without rows, a mean is 0. Means of integers drop the fraction." ROUNDED("computed"), "The means.");

#define PROD_GRADIENT(op_for_rows)                                \
  "nodes:\n"                                                      \
  "  slope: {op: SegmentProdOfOthers, in: [data, segment_ids]}\n" \
  "  conj_slope: {op: Conj, in: slope}\n"                         \
  "  rows: {op: " op_for_rows                                     \
  ", in: [grad.output, segment_ids]}\n"                           \
  "  ddata: {op: Mul, in: [rows, conj_slope]}\n"
REGISTER_SORTED("SegmentProd", "numbertype", PROD_GRADIENT("Gather") TO_SORTED, "Multiplies", PRODUCT_DETAILS,
                "The products.");
REGISTER_UNSORTED("UnsortedSegmentProd", "numbertype", "int32, int64",
                  PROD_GRADIENT("UnsortedSegmentSumGrad") TO_UNSORTED, "Multiplies", PRODUCT_DETAILS, "The products.");

// Rows that equal the extreme of their segment share its gradient equally. NaN equals nothing, so totals may be 0.
#define EXTREME_GRADIENT(op_for_rows, total)                        \
  "feeds:\n"                                                        \
  "  one: {value: 1, dtype: {attr: T}}\n"                           \
  "nodes:\n"                                                        \
  "  result: {op: " op_for_rows                                     \
  ", in: [output, segment_ids]}\n"                                  \
  "  is_result: {op: Equal, in: [data, result]}\n"                  \
  "  weight: {op: Cast, in: is_result, attrs: {DstT: {attr: T}}}\n" \
  "  total: {op: " total                                            \
  "}\n"                                                             \
  "  some: {op: Maximum, in: [total, one]}\n"                       \
  "  share: {op: RealDiv, in: [grad.output, some]}\n"               \
  "  rows: {op: " op_for_rows                                       \
  ", in: [share, segment_ids]}\n"                                   \
  "  ddata: {op: Mul, in: [weight, rows]}\n"
#define SORTED_EXTREME_GRADIENT EXTREME_GRADIENT("Gather", "SegmentSum, in: [weight, segment_ids]") TO_SORTED
#define UNSORTED_EXTREME_GRADIENT                                                                           \
  EXTREME_GRADIENT("UnsortedSegmentSumGrad", "UnsortedSegmentSum, in: [weight, segment_ids, num_segments]") \
  TO_UNSORTED

#define REGISTER_EXTREME(name, Fold, which, highest_or_lowest, kEmpty)                                                \
  REGISTER_SORTED("Segment" name, "realnumbertype", SORTED_EXTREME_GRADIENT, "Gives the " which " numbers in",        \
                  "Without rows, the result is 0." SHARED, "The " which " numbers.");                                 \
  REGISTER_UNSORTED("UnsortedSegment" name, "realnumbertype", "int32, int64", UNSORTED_EXTREME_GRADIENT,              \
                    "Gives the " which " numbers in",                                                                 \
                    "Without rows, the result is the " highest_or_lowest " finite number of the type." SHARED,        \
                    "The " which " numbers.");                                                                        \
  REGISTER_KERNEL_BUILDER(Name("Segment" name).Device(DEVICE_CPU), SegmentOp<Fold, RealNumbers, EmptySegment::kZero>) \
  REGISTER_KERNEL_BUILDER(Name("UnsortedSegment" name).Device(DEVICE_CPU), SegmentOp<Fold, RealNumbers, kEmpty>)
REGISTER_EXTREME("Max", MaxFold, "largest", "lowest", EmptySegment::kLowest)
REGISTER_EXTREME("Min", MinFold, "smallest", "highest", EmptySegment::kHighest)

REGISTER_OP("UnsortedSegmentSumGrad")
    .Input("grad: T")
    .Input("segment_ids: Tindices")
    .Output("output: T")
    .Attr("T: numbertype")
    .Attr("Tindices: {int16, int32, int64}")
    .SetShapeFn(SegmentRowsShapeFn)
    .Gradient(R"yaml(
feeds:
  zero: {value: 0, dtype: int32}
nodes:
  shape: {op: Shape, in: grad}
  segments: {op: Gather, in: [shape, zero]}
  dgrad: {op: UnsortedSegmentSum, in: [grad.output, segment_ids, segments]}
outputs: {grad: dgrad, segment_ids: null}
)yaml")
    .Doc(R"doc(
Gives each row the gradient of its segment: the gradient of UnsortedSegmentSum.

grad: The gradient of the output of UnsortedSegmentSum, with a row for each segment.
segment_ids: As for UnsortedSegmentSum. A row with a negative id gets zeros. An id that is not below grad.shape[0] is an
    error.
output: The gradient of the data. Its shape is segment_ids.shape + grad.shape[1:].
)doc");

#define REGISTER_NUMBERS(name, ...) \
  REGISTER_KERNEL_BUILDER(Name(name).Device(DEVICE_CPU).TypeConstraint("T", TypesOf<Numbers>::kAll), __VA_ARGS__)
REGISTER_NUMBERS("SegmentSum", SegmentOp<SumFold, Numbers>)
REGISTER_NUMBERS("SegmentMean", SegmentOp<MeanFold, Numbers, EmptySegment::kZero>)
REGISTER_NUMBERS("SegmentProd", SegmentOp<ProdFold, Numbers>)
REGISTER_NUMBERS("UnsortedSegmentSum", SegmentOp<SumFold, Numbers>)
REGISTER_NUMBERS("UnsortedSegmentProd", SegmentOp<ProdFold, Numbers>)
REGISTER_NUMBERS("UnsortedSegmentSumGrad", SegmentGradKernel<CpuSegmentIds>)

}  // namespace
}  // namespace math_ops
