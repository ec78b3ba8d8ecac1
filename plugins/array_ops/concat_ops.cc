// plugins/array_ops/concat_ops.cc: Concat and ConcatV2, tensors joined along one dimension.
// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <vector>

#include "moving_ops.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"

namespace array_ops {
namespace {

using namespace shape_inference;

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

REGISTER_KERNEL_BUILDER(ARRAY_OPS_CPU("Concat"), ConcatOp<CpuMoves>);
REGISTER_KERNEL_BUILDER(ARRAY_OPS_CPU("ConcatV2"), ConcatOp<CpuMoves>);

// The offsets as far as the sizes are known.
Status PassOffsets(InferenceContext* c) {
  const Tensor* concat_dim = c->input_tensor(0);
  KnownElement offset = 0;
  for (int i = 0; i < c->num_outputs() && concat_dim != nullptr; ++i) {
    const auto sizes = c->passed_elements(i + 1);
    if (!sizes) break;
    int64 axis;
    TF_RETURN_IF_ERROR(
        ResolveAxis(Integers(*concat_dim)[0], static_cast<int64>(sizes->size()), "concat_dim", "a value", &axis));
    std::vector<KnownElement> offsets(sizes->size(), KnownElement(0));
    offsets[static_cast<size_t>(axis)] = offset;
    c->set_output_elements(i, offsets);
    offset = shape_inference::SumOf(c, offset, (*sizes)[static_cast<size_t>(axis)]);
  }
  return Status::OK();
}

Status OffsetShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckScalar(c, 0, "concat_dim"));
  ShapeHandle vector = c->input(1);
  for (int i = 1; i < c->num_inputs(); ++i) {
    TF_RETURN_IF_ERROR(CheckVector(c, i, "shape"));
    TF_RETURN_IF_ERROR(c->Merge(vector, c->input(i), &vector));
  }
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, vector);
  return PassOffsets(c);
}

bool SameOutside(const std::vector<int64>& a, std::vector<int64> b, int64 axis) {
  if (a.size() == b.size()) b[static_cast<size_t>(axis)] = a[static_cast<size_t>(axis)];
  return a == b;
}

Status MakeOffsets(OpKernelContext* context) {
  int64 axis, offset = 0;
  std::vector<int64> first, sizes;
  TF_RETURN_IF_ERROR(ReadScalar(context->input(0), "concat_dim", &axis));
  TF_RETURN_IF_ERROR(ResolveAxis(axis, context->input(1).NumElements(), "concat_dim", "a value", &axis));
  TF_RETURN_IF_ERROR(ReadVector(context->input(1), "shape", &first));
  for (int i = 0; i < context->num_outputs(); ++i) {
    TF_RETURN_IF_ERROR(ReadVector(context->input(i + 1), "shape", &sizes));
    if (!SameOutside(first, sizes, axis)) {
      return Wrong("shape." + std::to_string(i), "shapes 0 and ", i, " differ outside of the dimension concat_dim");
    }
    if (offset > std::numeric_limits<int32>::max()) return Wrong("shape", "an offset does not fit int32");
    Tensor* output = nullptr;
    TF_RETURN_IF_ERROR(context->allocate_output(i, context->input(1).shape(), &output));
    auto offsets = output->vec<int32>();
    for (int64 d = 0; d < offsets.size(); ++d) offsets(d) = d == axis ? static_cast<int32>(offset) : 0;
    offset += sizes[static_cast<size_t>(axis)];
  }
  return Status::OK();
}

REGISTER_OP("ConcatOffset")
    .Input("concat_dim: int32")
    .Input("shape: N * int32")
    .Output("offset: N * int32")
    .Attr("N: int >= 1")
    .SetShapeFn(OffsetShape)
    .NotDifferentiable()
    .Doc(R"doc(
Computes where each of several tensors begins in their concatenation.

concat_dim: A scalar, the dimension along which the tensors are joined. A negative one counts from the end.
shape: The shapes of the tensors.
offset: For each tensor, the index of its first element in the concatenation.
)doc");

REGISTER_KERNEL_BUILDER(Name("ConcatOffset").Device(DEVICE_CPU), FunctionOp<MakeOffsets>);

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

bool JoinRows(OpKernelContext* context, const OpInputList& values, int axis, Tensor* output) {
  constexpr int64 kLongRow = 64 << 10;
  int64 rows = 1;
  for (int d = 0; d < axis; ++d) rows *= output->dim_size(d);
  const int64 row = output->NumElements() / rows;
  return VisitElement(output->dtype(), [&](auto element) {
    using E = typename decltype(element)::type;
    struct Part {
      const E* from;
      int64 size;
    };
    const int64 row_bytes = row * kMovedBytes<E>;
    if (row_bytes > kLongRow || row < 2 * values.size()) return false;
    std::vector<Part> parts;
    for (int i = 0; i < values.size(); ++i) parts.push_back({ElementsOf<E>(values[i]), values[i].NumElements() / rows});
    ForIndices(context, rows, row_bytes, [&, to = ElementsOf<E>(output)](int64 begin, int64 end) {
      E* at = to + begin * row;
      for (int64 i = begin; i < end; ++i) {
        for (const Part& part : parts) at = std::copy_n(part.from + i * part.size, part.size, at);
      }
    });
    return true;
  });
}

}  // namespace array_ops
