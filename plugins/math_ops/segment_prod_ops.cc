// plugins/math_ops/segment_prod_ops.cc: the first and the second derivative of products of segments.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstring>

#include "opsrun/op.h"
#include "prod_ops.h"

namespace math_ops {
namespace {

using shape_inference::InferenceContext;

// The rows of each segment, in order; rows with negative ids are skipped.
struct RowsOfSegments {
  std::vector<int64> rows;
  std::vector<size_t> begins;  // of each segment that has rows, and the end of the last one

  explicit RowsOfSegments(const std::vector<int64>& ids) {
    const auto id = [&ids](int64 row) { return ids[static_cast<size_t>(row)]; };
    for (size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] >= 0) rows.push_back(static_cast<int64>(i));
    }
    std::stable_sort(rows.begin(), rows.end(), [&id](int64 a, int64 b) { return id(a) < id(b); });
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i == 0 || id(rows[i]) != id(rows[i - 1])) begins.push_back(i);
    }
    begins.push_back(rows.size());
  }
};

class SegmentProdGradientOp : public WithProductLoop<SegmentProdGradientKernel> {
 public:
  using WithProductLoop::WithProductLoop;

 protected:
  Status Run(OpKernelContext* context, const Tensor& ids, Tensor* output) const override {
    RowsOfSegments all(ReadIds(ids));
    const int64 n = output->NumElements(), width = n / ids.NumElements();
    const int64 segments = static_cast<int64>(all.begins.size()) - 1;
    std::memset(output->data(), 0, static_cast<size_t>(n * DataTypeSize(output->dtype())));
    for (int64& row : all.rows) row *= width;
    Shard(context, segments * width, 10 * n / (segments * width + 1) + 50, [&](int64 begin, int64 end) {
      for (int64 i = begin; i < end; ++i) {
        const size_t* const rows = &all.begins[static_cast<size_t>(i / width)];
        loop()(context, &all.rows[rows[0]], rows[1] - rows[0], i % width, output);
      }
    });
    return Status::OK();
  }
};

// The shapes of the data and of the weights, if there are any.
Status RowsOfDataShape(InferenceContext* c) {
  const int data = c->num_inputs() - 2;
  shape_inference::ShapeHandle output = c->input(data);
  TF_RETURN_IF_ERROR(MergeRows(c, data, data + 1));
  if (data > 0) TF_RETURN_IF_ERROR(c->Merge(output, c->input(0), &output));
  c->set_output(0, output);
  return Status::OK();
}

REGISTER_OP("SegmentProdOfOthers")
    .Input("data: T")
    .Input("segment_ids: Tindices")
    .Output("output: T")
    .Attr("T: {" MATH_OPS_FLOATS_AND_COMPLEXES "}")
    .Attr("Tindices: {int32, int64}")
    .SetShapeFn(RowsOfDataShape)
    .Gradient(R"yaml(
nodes:
  conj_data: {op: Conj, in: data}
  ddata: {op: SegmentProdOfOthersGrad, in: [grad.output, conj_data, segment_ids]}
outputs: {data: ddata, segment_ids: null}
)yaml")
    .Doc(R"doc(
Computes, for each row, the product of all other rows of its segment: the derivative of SegmentProd and
UnsortedSegmentProd. It is exact where factors are 0.

data: Numbers.
segment_ids: Ids in any order, in a shape that data.shape begins with. A row with a negative id belongs to no segment.
output: The products, in the shape of the data; 0 for rows of no segment.
)doc");

// The derivative by row p of the data is the same op on data in which row p is 1 and only the rows of its segment have
// an id. These data, one for each p, are stacked along a new first dimension. Only third derivatives of products need
// so much memory.
REGISTER_OP("SegmentProdOfOthersGrad")
    .Input("weights: T")
    .Input("data: T")
    .Input("segment_ids: Tindices")
    .Output("output: T")
    .Attr("T: {" MATH_OPS_FLOATS_AND_COMPLEXES "}")
    .Attr("Tindices: {int32, int64}")
    .SetShapeFn(RowsOfDataShape)
    .Gradient(R"yaml(
feeds:
  one: {value: 1, dtype: int32}
  first_axis: {value: 0, dtype: int32}
  last_axis: {value: -1, dtype: int32}
  start: {value: 0, dtype: {attr: Tindices}}
  step: {value: 1, dtype: {attr: Tindices}}
  dropped: {value: -1, dtype: {attr: Tindices}}
  number_zero: {value: 0, dtype: {attr: T}}
  number_one: {value: 1, dtype: {attr: T}}
nodes:
  conj_data: {op: Conj, in: data}
  conj_weights: {op: Conj, in: weights}
  dweights: {op: SegmentProdOfOthersGrad, in: [grad.output, conj_data, segment_ids]}
  count: {op: Size, in: segment_ids}
  some: {op: Maximum, in: [count, one]}
  elements: {op: Size, in: data}
  width: {op: Div, in: [elements, some]}
  rows_shape: {op: Pack, in: [[count, width]]}
  ids_shape: {op: Pack, in: [[count]]}
  rows: {op: Reshape, in: [conj_data, rows_shape]}
  row_weights: {op: Reshape, in: [conj_weights, rows_shape]}
  row_grads: {op: Reshape, in: [grad.output, rows_shape]}
  ids: {op: Reshape, in: [segment_ids, ids_shape]}
  ids_of_p: {op: ExpandDims, in: [ids, last_axis]}
  ids_of_row: {op: ExpandDims, in: [ids, first_axis]}
  limit: {op: Size, in: segment_ids, attrs: {out_type: {attr: Tindices}}}
  numbers: {op: Range, in: [start, limit, step]}
  numbers_of_p: {op: ExpandDims, in: [numbers, last_axis]}
  numbers_of_row: {op: ExpandDims, in: [numbers, first_axis]}
  is_together: {op: Equal, in: [ids_of_p, ids_of_row]}
  is_kept: {op: GreaterEqual, in: [ids_of_p, start]}
  is_of_segment: {op: LogicalAnd, in: [is_together, is_kept]}
  segments: {op: SelectV2, in: [is_of_segment, numbers_of_p, dropped]}
  is_p: {op: Equal, in: [numbers_of_p, numbers_of_row]}
  is_row_p: {op: ExpandDims, in: [is_p, last_axis]}
  wide_rows: {op: SelectV2, in: [is_row_p, number_one, rows]}
  wide_weights: {op: SelectV2, in: [is_row_p, number_zero, row_weights]}
  wide_grads: {op: SelectV2, in: [is_row_p, number_zero, row_grads]}
  products: {op: SegmentProdOfOthersGrad, in: [wide_weights, wide_rows, segments]}
  weighted: {op: Mul, in: [products, wide_grads]}
  sums: {op: Sum, in: [weighted, one]}
  data_shape: {op: Shape, in: data}
  ddata: {op: Reshape, in: [sums, data_shape]}
outputs: {weights: dweights, data: ddata, segment_ids: null}
)yaml")
    .Doc(R"doc(
Computes, for each row j, the sum over all other rows i of its segment of weight i times the product of all rows of the
segment but i and j: the gradient of SegmentProdOfOthers.

weights: The gradient of SegmentProdOfOthers' output, in the shape of the data.
data: Numbers.
segment_ids: As for SegmentProdOfOthers.
output: The sums, in the shape of the data; 0 for rows of no segment.
)doc");

REGISTER_KERNEL_BUILDER(Name("SegmentProdOfOthers").Device(DEVICE_CPU), SegmentProdGradientOp)
REGISTER_KERNEL_BUILDER(Name("SegmentProdOfOthersGrad").Device(DEVICE_CPU), SegmentProdGradientOp)

}  // namespace
}  // namespace math_ops
