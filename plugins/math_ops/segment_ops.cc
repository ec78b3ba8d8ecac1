// plugins/math_ops/segment_ops.cc: reductions of the rows of a tensor that have the same id, and the gradient of their
// sum.
// SPDX-License-Identifier: Apache-2.0

#include "segment_ops.h"

#include "opsrun/register_types.h"
#include "reduce.h"

namespace math_ops {
namespace {

using namespace opsrun;

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

#define SORTED_SEGMENTS(name, types)    \
  REGISTER_OP(name)                     \
      .Input("data: T")                 \
      .Input("segment_ids: Tindices")   \
      .Output("output: T")              \
      .Attr("T: " types)                \
      .Attr("Tindices: {int32, int64}") \
      .SetShapeFn(SortedSegmentsShapeFn)

#define UNSORTED_SEGMENTS(name, types, indices)        \
  REGISTER_OP(name)                                    \
      .Input("data: T")                                \
      .Input("segment_ids: Tindices")                  \
      .Input("num_segments: Tnumsegments")             \
      .Output("output: T")                             \
      .Attr("T: " types)                               \
      .Attr("Tindices: {" indices "}")                 \
      .Attr("Tnumsegments: {int32, int64} = DT_INT32") \
      .SetShapeFn(UnsortedSegmentsShapeFn)

#define SORTED_SEGMENTS_DOC(what)                                                                          \
  "data: A tensor of one dimension or more. Its rows are its slices along the first one.\n"                \
  "segment_ids: A vector with an id for each row, sorted: no id is less than the one before. A negative\n" \
  "    id is an error.\n"                                                                                  \
  "output: " what " Row i is that of the rows with id i, and there is one row more than the last id says.\n"

#define UNSORTED_SEGMENTS_DOC(what)                                                                          \
  "data: A tensor.\n"                                                                                        \
  "segment_ids: Ids in any order, in a shape that data.shape begins with: a row is what data holds at the\n" \
  "    place of an id. A row with a negative id is dropped. An id that is not below num_segments is an\n"    \
  "    error.\n"                                                                                             \
  "num_segments: A scalar, the number of segments.\n"                                                        \
  "output: " what                                                                                            \
  " Row i is that of the rows with id i. Its shape is [num_segments] +\n"                                    \
  "    data.shape[segment_ids.rank:].\n"

// Rows that equal the extreme of their segment share its gradient equally. NaN equals nothing, so totals may be 0.
#define EXTREME_SHARES                                              \
  "  is_result: {op: Equal, in: [data, result]}\n"                  \
  "  weight: {op: Cast, in: is_result, attrs: {DstT: {attr: T}}}\n" \
  "  some: {op: Maximum, in: [total, one]}\n"                       \
  "  share: {op: RealDiv, in: [grad.output, some]}\n"               \
  "  ddata: {op: Mul, in: [weight, rows]}\n"
#define SORTED_EXTREME_GRADIENT                            \
  "feeds:\n"                                               \
  "  one: {value: 1, dtype: {attr: T}}\n"                  \
  "nodes:\n"                                               \
  "  result: {op: Gather, in: [output, segment_ids]}\n"    \
  "  total: {op: SegmentSum, in: [weight, segment_ids]}\n" \
  "  rows: {op: Gather, in: [share, segment_ids]}\n" EXTREME_SHARES "outputs: {data: ddata, segment_ids: null}\n"
#define UNSORTED_EXTREME_GRADIENT                                                   \
  "feeds:\n"                                                                        \
  "  one: {value: 1, dtype: {attr: T}}\n"                                           \
  "nodes:\n"                                                                        \
  "  result: {op: UnsortedSegmentSumGrad, in: [output, segment_ids]}\n"             \
  "  total: {op: UnsortedSegmentSum, in: [weight, segment_ids, num_segments]}\n"    \
  "  rows: {op: UnsortedSegmentSumGrad, in: [share, segment_ids]}\n" EXTREME_SHARES \
  "outputs: {data: ddata, segment_ids: null, num_segments: null}\n"

SORTED_SEGMENTS("SegmentSum", "numbertype")
    .Gradient(R"yaml(
nodes:
  ddata: {op: Gather, in: [grad.output, segment_ids]}
outputs: {data: ddata, segment_ids: null}
)yaml")
    .Doc(R"doc(
Adds the rows of each segment: the rows that have one id, where ids are sorted.

Without rows, a sum is 0. Integers wrap on overflow. float16 and bfloat16 are added as float32 and rounded once. The
result does not depend on the number of threads.

)doc" SORTED_SEGMENTS_DOC("The sums."));

SORTED_SEGMENTS("SegmentMean", "numbertype")
    .Gradient(R"yaml(
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
outputs: {data: ddata, segment_ids: null}
)yaml")
    .Doc(R"doc(
Computes the mean of the rows of each segment: the rows that have one id, where ids are sorted.

Without rows, a mean is 0. Means of integers drop the fraction. float16 and bfloat16 are computed as float32 and rounded
once. The result does not depend on the number of threads.

)doc" SORTED_SEGMENTS_DOC("The means."));

SORTED_SEGMENTS("SegmentProd", "numbertype")
    .Gradient(R"yaml(
nodes:
  slope: {op: SegmentProdOfOthers, in: [data, segment_ids]}
  conj_slope: {op: Conj, in: slope}
  rows: {op: Gather, in: [grad.output, segment_ids]}
  ddata: {op: Mul, in: [rows, conj_slope]}
outputs: {data: ddata, segment_ids: null}
)yaml")
    .Doc(R"doc(
Multiplies the rows of each segment: the rows that have one id, where ids are sorted.

Without rows, a product is 1. Integers wrap on overflow. float16 and bfloat16 are multiplied as float32 and rounded once.
The result does not depend on the number of threads.

)doc" SORTED_SEGMENTS_DOC("The products."));

SORTED_SEGMENTS("SegmentMax", "realnumbertype").Gradient(SORTED_EXTREME_GRADIENT).Doc(R"doc(
Gives the largest numbers in the rows of each segment: the rows that have one id, where ids are sorted.

Without rows, the result is 0. It is NaN if one of the numbers is NaN. In the gradient, equal numbers share equally.

)doc" SORTED_SEGMENTS_DOC("The largest numbers."));

SORTED_SEGMENTS("SegmentMin", "realnumbertype").Gradient(SORTED_EXTREME_GRADIENT).Doc(R"doc(
Gives the smallest numbers in the rows of each segment: the rows that have one id, where ids are sorted.

Without rows, the result is 0. It is NaN if one of the numbers is NaN. In the gradient, equal numbers share equally.

)doc" SORTED_SEGMENTS_DOC("The smallest numbers."));

UNSORTED_SEGMENTS("UnsortedSegmentSum", "numbertype", "int16, int32, int64")
    .Gradient(R"yaml(
nodes:
  ddata: {op: UnsortedSegmentSumGrad, in: [grad.output, segment_ids]}
outputs: {data: ddata, segment_ids: null, num_segments: null}
)yaml")
    .Doc(R"doc(
Adds the rows of each segment: the rows that have one id, where ids have any order.

Without rows, a sum is 0. Rows are added in their order. Integers wrap on overflow. float16 and bfloat16 are added as
float32 and rounded once. The result does not depend on the number of threads.

)doc" UNSORTED_SEGMENTS_DOC("The sums."));

UNSORTED_SEGMENTS("UnsortedSegmentProd", "numbertype", "int32, int64")
    .Gradient(R"yaml(
nodes:
  slope: {op: SegmentProdOfOthers, in: [data, segment_ids]}
  conj_slope: {op: Conj, in: slope}
  rows: {op: UnsortedSegmentSumGrad, in: [grad.output, segment_ids]}
  ddata: {op: Mul, in: [rows, conj_slope]}
outputs: {data: ddata, segment_ids: null, num_segments: null}
)yaml")
    .Doc(R"doc(
Multiplies the rows of each segment: the rows that have one id, where ids have any order.

Without rows, a product is 1. Integers wrap on overflow. float16 and bfloat16 are multiplied as float32 and rounded once.
The result does not depend on the number of threads.

)doc" UNSORTED_SEGMENTS_DOC("The products."));

UNSORTED_SEGMENTS("UnsortedSegmentMax", "realnumbertype", "int32, int64").Gradient(UNSORTED_EXTREME_GRADIENT).Doc(R"doc(
Gives the largest numbers in the rows of each segment: the rows that have one id, where ids have any order.

Without rows, the result is the lowest finite number of the type. It is NaN if one of the numbers is NaN. In the
gradient, equal numbers share equally.

)doc" UNSORTED_SEGMENTS_DOC("The largest numbers."));

UNSORTED_SEGMENTS("UnsortedSegmentMin", "realnumbertype", "int32, int64").Gradient(UNSORTED_EXTREME_GRADIENT).Doc(R"doc(
Gives the smallest numbers in the rows of each segment: the rows that have one id, where ids have any order.

Without rows, the result is the highest finite number of the type. It is NaN if one of the numbers is NaN. In the
gradient, equal numbers share equally.

)doc" UNSORTED_SEGMENTS_DOC("The smallest numbers."));

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

#define NAME_TYPE(T) DataTypeToEnum<T>::value,
constexpr std::initializer_list<DataType> kNumbers = {TF_CALL_NUMBER_TYPES(NAME_TYPE)};
#undef NAME_TYPE
#define REGISTER_NUMBERS(name, ...) \
  REGISTER_KERNEL_BUILDER(Name(name).Device(DEVICE_CPU).TypeConstraint("T", kNumbers), __VA_ARGS__)
REGISTER_NUMBERS("SegmentSum", SegmentOp<SumFold, Numbers>)
REGISTER_NUMBERS("SegmentMean", SegmentOp<MeanFold, Numbers, EmptySegment::kZero>)
REGISTER_NUMBERS("SegmentProd", SegmentOp<ProdFold, Numbers>)
REGISTER_NUMBERS("UnsortedSegmentSum", SegmentOp<SumFold, Numbers>)
REGISTER_NUMBERS("UnsortedSegmentProd", SegmentOp<ProdFold, Numbers>)
REGISTER_NUMBERS("UnsortedSegmentSumGrad", SegmentGradKernel<CpuSegmentIds>)
#define REGISTER_EXTREME(name, ...) REGISTER_KERNEL_BUILDER(Name(name).Device(DEVICE_CPU), SegmentOp<__VA_ARGS__>)
REGISTER_EXTREME("SegmentMax", MaxFold, RealNumbers, EmptySegment::kZero)
REGISTER_EXTREME("SegmentMin", MinFold, RealNumbers, EmptySegment::kZero)
REGISTER_EXTREME("UnsortedSegmentMax", MaxFold, RealNumbers, EmptySegment::kLowest)
REGISTER_EXTREME("UnsortedSegmentMin", MinFold, RealNumbers, EmptySegment::kHighest)

}  // namespace
}  // namespace math_ops
