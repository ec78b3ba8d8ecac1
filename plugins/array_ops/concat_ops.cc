// plugins/array_ops/concat_ops.cc: Concat and ConcatV2, tensors joined along one dimension.
// SPDX-License-Identifier: Apache-2.0
#include "concat_ops.h"

#include <string>

#include "elements.h"
#include "integers.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"

namespace array_ops {
namespace {

using namespace opsrun;
using shape_inference::InferenceContext;

Status ConcatV1Shape(InferenceContext* c) {
  return shape_inference::ConcatShape(c, c->num_inputs() - 1);
}

Status Differ(int i, const TensorShape& shape, const TensorShape& first, int64 axis) {
  return Wrong("values." + std::to_string(i), "all values must have the same sizes outside of dimension ", axis,
               ", but tensor 0 is ", first.DebugString(), " and tensor ", i, " is ", shape.DebugString());
}

REGISTER_OP("Concat")
    .Input("concat_dim: int32")
    .Input("values: N * T")
    .Output("output: T")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .SetShapeFn(ConcatV1Shape)
    .Gradient(R"yaml(
nodes:
  shapes: {op: Shape, each: values, in: values}
  offsets: {op: ConcatOffset, in: {concat_dim: concat_dim, shape: shapes}}
  parts: {op: Slice, each: [offsets, shapes], in: [grad.output, offsets, shapes]}
outputs: {concat_dim: null, values: parts}
)yaml")
    .Doc(R"doc(
Joins tensors along one dimension.

concat_dim: A scalar, the dimension. A negative one counts from the end: -1 is the last.
values: Tensors of one dimension or more, which have the same sizes in all other dimensions.
output: All of them, one after the other.
)doc");

REGISTER_OP("ConcatV2")
    .Input("values: N * T")
    .Input("axis: Tidx")
    .Output("output: T")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .SetShapeFn(shape_inference::ConcatV2Shape)
    .Gradient(R"yaml(
nodes:
  dim: {op: Cast, in: axis, attrs: {DstT: int32}}
  shapes: {op: Shape, each: values, in: values}
  offsets: {op: ConcatOffset, in: {concat_dim: dim, shape: shapes}}
  parts: {op: Slice, each: [offsets, shapes], in: [grad.output, offsets, shapes]}
outputs: {values: parts, axis: null}
)yaml")
    .Doc(R"doc(
Joins tensors along one dimension.

values: Tensors of one dimension or more, which have the same sizes in all other dimensions.
axis: A scalar, the dimension. A negative one counts from the end: -1 is the last.
output: All of them, one after the other.
)doc");

REGISTER_KERNEL_BUILDER(Name("Concat").Device(DEVICE_CPU).TypeConstraint("T", kMoved), ConcatV1Op<CpuMoves>);
REGISTER_KERNEL_BUILDER(Name("ConcatV2").Device(DEVICE_CPU).TypeConstraint("T", kMoved), ConcatV2Op<CpuMoves>);

}  // namespace

Status JoinedShape(const OpInputList& values, int64 axis, TensorShape* joined) {
  const int at = static_cast<int>(axis);
  *joined = values[0].shape();
  int64 size = 0;
  for (int i = 0; i < values.size(); ++i) {
    TensorShape shape = values[i].shape();
    if (shape.dims() != joined->dims()) return Differ(i, shape, values[0].shape(), axis);
    if (__builtin_add_overflow(size, shape.dim_size(at), &size)) {
      return Wrong("values", "the sum of the sizes of dimension ", axis, " does not fit int64");
    }
    shape.set_dim(at, joined->dim_size(at));
    if (shape != *joined) return Differ(i, values[i].shape(), values[0].shape(), axis);
  }
  joined->set_dim(at, size);
  return Status::OK();
}

}  // namespace array_ops
