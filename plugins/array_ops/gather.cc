// plugins/array_ops/gather.cc: Gather, GatherV2 and its gradient: slices of a tensor selected by index.
// SPDX-License-Identifier: Apache-2.0
#include "indexed_ops.h"
#include "indices.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"

namespace array_ops {
namespace {

using namespace shape_inference;

// Slices that are read before their turn, since processors do not foresee where the next ones are.
constexpr int64 kAhead = 8;

// The first lines; processors foresee the others.
template <typename E>
void Prefetch(const E* slice, int64 n) {
  constexpr int64 kLine = 64, kMost = 4 * kLine;
  const char* const bytes = reinterpret_cast<const char*>(slice);
  const int64 size = std::min(n * static_cast<int64>(sizeof(E)), kMost);
  for (int64 at = 0; at < size; at += kLine) __builtin_prefetch(bytes + at);
}

// Writes rows [begin, end) of the result; a row is one slice.
template <typename E, typename Index>
void GatherRows(const GatherLayout& l, const E* params, const Index* indices, E* to, int64 begin, int64 end) {
  for (int64 row = begin; row < end;) {
    const int64 outer = row / l.count, first = row % l.count, last = std::min(l.count, first + end - row);
    const E* from = params + outer * l.size * l.slice;
    const Index* at = indices + outer / l.before * l.count;
    E* out = to + row * l.slice;
    if (l.slice == 1) {
      for (int64 i = first; i < last; ++i) *out++ = from[at[i]];
    } else {
      for (int64 i = first; i < last; ++i, out += l.slice) {
        Prefetch(from + at[std::min(i + kAhead, last - 1)] * l.slice, l.slice);
        std::copy_n(from + at[i] * l.slice, l.slice, out);
      }
    }
    row += last - first;
  }
}

template <typename Index>
Status Gather(OpKernelContext* context, const GatherLayout& l, Tensor* output) {
  const Tensor &params = context->input(0), &indices = context->input(1);
  TF_RETURN_IF_ERROR(CheckIndices(indices, "indices", l.size, l.axis, "params"));
  if (output->NumElements() == 0) return Status::OK();
  VisitElement(params.dtype(), [&](auto element) {
    using E = typename decltype(element)::type;
    const E* from = ElementsOf<E>(params);
    E* to = ElementsOf<E>(output);
    const Index* at = static_cast<const Index*>(indices.data());
    ForIndices(context, l.batch * l.before * l.count, l.slice * kMovedBytes<E>,
               [&](int64 begin, int64 end) { GatherRows(l, from, at, to, begin, end); });
  });
  return Status::OK();
}

template <typename T>
void AddRows(const GatherLayout& l, const std::vector<int64>& at, const T* from, SumOf<T>* to, int64 begin, int64 end) {
  for (int64 i = begin * l.count; i < end * l.count; ++i) {
    const int64 outer = i / l.count;
    const int64 row = outer * l.size + at[static_cast<size_t>(outer / l.before * l.count + i % l.count)];
    AddTo(to + row * l.slice, from + i * l.slice, l.slice);
  }
}

Status AddGathered(OpKernelContext* context, const GatherLayout& l, Tensor* output) {
  const Tensor &indices = context->input(1), &grad = context->input(2);
  TF_RETURN_IF_ERROR(CheckIndices(indices, "indices", l.size, l.axis, "params"));
  if (grad.NumElements() == 0) {
    FillWithZeros(context, output);
    return Status::OK();
  }
  const std::vector<int64> at = Integers(indices);
  // Equal indices are added in order, so one thread adds all rows of a part.
  return VisitNumber(grad.dtype(), [&](auto element) {
    using T = typename decltype(element)::type;
    return MakeSums<T>(context, output, [&](SumOf<T>* to) {
      ForIndices(context, l.batch * l.before, l.count * l.slice * int64{sizeof(T)},
                 [&](int64 begin, int64 end) { AddRows(l, at, static_cast<const T*>(grad.data()), to, begin, end); });
    });
  });
}

// A negative number counts from the end of indices.
Status ResolveBatchDims(int64 batch_dims, int64 rank_of_indices, int64 axis, int64* resolved) {
  *resolved = batch_dims < 0 ? batch_dims + rank_of_indices : batch_dims;
  if (*resolved >= 0 && *resolved <= rank_of_indices && *resolved <= axis) return Status::OK();
  return errors::InvalidArgument("batch_dims is ", batch_dims, ", but indices has rank ", rank_of_indices,
                                 " and axis is ", axis, ": it must be at most both")
      .Blame("attr:batch_dims");
}

Status BatchesDiffer(int i, const std::string& params, const std::string& indices) {
  return Wrong("indices", "params and indices must have the same batch dimensions, but dimension ", i, " is ", params,
               " and ", indices);
}

int64 Product(const TensorShape& shape, int64 begin, int64 end) {
  int64 n = 1;
  for (int64 i = begin; i < end; ++i) n *= shape.dim_size(static_cast<int>(i));
  return n;
}

// Reports the elements of the output if it is known which are taken. Wrong indices are reported at run time.
void PassTaken(InferenceContext* c, int64 axis) {
  const auto indices = c->passed_elements(1);
  if (!indices || !c->passed_elements(0)) return;
  std::vector<int64> counts = SizesOf(c, c->input(0));
  const size_t along = static_cast<size_t>(axis);
  for (const KnownElement& index : *indices) {
    if (!index.known() || index.value() < 0 || index.value() >= counts[along]) return;
  }
  counts[along] = static_cast<int64>(indices->size());
  PassAt(c, counts, [&](size_t i, int64 k) { return i == along ? (*indices)[static_cast<size_t>(k)].value() : k; });
}

// The result's shape: params[:axis] + indices[batch_dims:] + params[axis + 1:].
Status JoinShapes(InferenceContext* c, int64 axis, int64 batch_dims) {
  const ShapeHandle params = c->input(0), indices = c->input(1);
  TF_RETURN_IF_ERROR(ResolveAxis(axis, c->Rank(params), c->num_inputs() > 2 ? "axis" : "params", "params", &axis));
  TF_RETURN_IF_ERROR(ResolveBatchDims(batch_dims, c->Rank(indices), axis, &batch_dims));
  std::vector<DimensionHandle> dims;
  for (int64 i = 0; i < axis; ++i) {
    DimensionHandle dim = c->Dim(params, i);
    if (i < batch_dims && !c->Merge(dim, c->Dim(indices, i), &dim).ok()) {
      return BatchesDiffer(static_cast<int>(i), c->DebugString(c->Dim(params, i)), c->DebugString(c->Dim(indices, i)));
    }
    dims.push_back(dim);
  }
  for (int64 i = batch_dims; i < c->Rank(indices); ++i) dims.push_back(c->Dim(indices, i));
  for (int64 i = axis + 1; i < c->Rank(params); ++i) dims.push_back(c->Dim(params, i));
  c->set_output(0, c->MakeShape(dims));
  if (batch_dims == 0) PassTaken(c, axis);
  return Status::OK();
}

// Of Gather and GatherV2, which alone has an axis and batch dimensions.
Status GatherShape(InferenceContext* c) {
  const ShapeHandle params = c->input(0), indices = c->input(1);
  const bool has_axis = c->num_inputs() > 2;
  int64 batch_dims = 0;
  if (has_axis) {
    TF_RETURN_IF_ERROR(CheckScalar(c, 2, "axis"));
    TF_RETURN_IF_ERROR(c->GetAttr("batch_dims", &batch_dims));
  }
  const Tensor* axis = has_axis ? c->input_tensor(2) : nullptr;
  if (!c->RankKnown(params) || !c->RankKnown(indices)) return SetUnknownOfRank(c, -1);
  if (!has_axis || axis != nullptr) return JoinShapes(c, has_axis ? Integers(*axis)[0] : 0, batch_dims);
  if (batch_dims < 0) batch_dims += c->Rank(indices);
  return SetUnknownOfRank(c, c->Rank(params) - 1 + c->Rank(indices) - static_cast<int>(batch_dims));
}

Status GradShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckScalar(c, 3, "axis"));
  return shape_inference::RandomShape(c);
}

REGISTER_OP("Gather")
    .Input("params: Tparams")
    .Input("indices: Tindices")
    .Output("output: Tparams")
    .Attr("validate_indices: bool = true")
    .Attr("Tparams: type")
    .Attr("Tindices: {int32, int64}")
    .SetShapeFn(GatherShape)
    .Gradient(R"yaml(
feeds:
  last: {value: -1, dtype: int32}
nodes:
  shape: {op: Shape, in: params, attrs: {out_type: {attr: Tindices}}}
  vectors: {op: ExpandDims, in: [indices, last]}
  dparams: {op: ScatterNd, in: [vectors, grad.output, shape]}
outputs: {params: dparams, indices: null}
slices: {params: {values: grad.output, indices: indices}}
)yaml")
    .Doc(R"doc(
Takes slices along the first dimension of a tensor by their indices: output[i, ...] is params[indices[i], ...].

params: A tensor of one dimension or more.
indices: Indices of slices, of any shape. An index that is negative or not below params.shape[0] is an error.
output: The slices. Its shape is indices.shape + params.shape[1:].
validate_indices: Has no effect: indices are always checked.
)doc");

REGISTER_OP("GatherV2")
    .Input("params: Tparams")
    .Input("indices: Tindices")
    .Input("axis: Taxis")
    .Output("output: Tparams")
    .Attr("batch_dims: int = 0")
    .Attr("Tparams: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("Taxis: {int32, int64}")
    .SetShapeFn(GatherShape)
    .Gradient(R"yaml(
nodes:
  shape: {op: Shape, in: params, attrs: {out_type: {attr: Tindices}}}
  dparams: {op: GatherV2Grad, in: [shape, indices, grad.output, axis], attrs: {batch_dims: {attr: batch_dims}}}
outputs: {params: dparams, indices: null, axis: null}
slices: {params: {values: grad.output, indices: indices, axis: axis, batch_dims: {attr: batch_dims}}}
)yaml")
    .Doc(R"doc(
Takes slices along one dimension of a tensor by their indices.

Without batch_dims, output[..., i, ...] is params[..., indices[i], ...], where both places are dimension `axis`.

params: A tensor of one dimension or more.
indices: Indices of slices. An index that is negative or not below params.shape[axis] is an error. TensorFlow's op
    takes int16 as well.
axis: A scalar, the dimension. A negative one counts from the end: -1 is the last.
output: The slices. Its shape is params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:].
batch_dims: How many leading dimensions of params and indices are walked through together: each part of params has
    indices of its own. It is at most axis. A negative number counts from the rank of indices.
)doc");

REGISTER_OP("GatherV2Grad")
    .Input("params_shape: Tindices")
    .Input("indices: Tindices")
    .Input("grad: T")
    .Input("axis: Taxis")
    .Output("output: T")
    .Attr("batch_dims: int = 0")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .Attr("Taxis: {int32, int64}")
    .SetShapeFn(GradShape)
    .Gradient(R"yaml(
nodes:
  dgrad: {op: GatherV2, in: [grad.output, indices, axis], attrs: {batch_dims: {attr: batch_dims}}}
outputs: {params_shape: null, indices: null, grad: dgrad, axis: null}
)yaml")
    .Doc(R"doc(
Adds slices to a tensor of zeros at their indices: the gradient of GatherV2.

params_shape: The shape of the params of GatherV2.
indices: As for GatherV2.
grad: The gradient of GatherV2's output.
axis: As for GatherV2.
output: The gradient of params. Slices with equal indices add up; float16 and bfloat16 as float32, rounded once.
batch_dims: As for GatherV2.
)doc");

#define REGISTER_GATHER(Tindices)                                                                                 \
  REGISTER_KERNEL_BUILDER(                                                                                        \
      Name("Gather").Device(DEVICE_CPU).TypeConstraint("Tparams", kMoved).TypeConstraint<Tindices>("Tindices"),   \
      GatherOp<Gather<Tindices>>)                                                                                 \
  REGISTER_KERNEL_BUILDER(                                                                                        \
      Name("GatherV2").Device(DEVICE_CPU).TypeConstraint("Tparams", kMoved).TypeConstraint<Tindices>("Tindices"), \
      GatherOp<Gather<Tindices>>);
REGISTER_GATHER(int32)
REGISTER_GATHER(int64)
#undef REGISTER_GATHER

REGISTER_KERNEL_BUILDER(Name("GatherV2Grad").Device(DEVICE_CPU).TypeConstraint("T", kNumbers),
                        GatherV2GradOp<AddGathered>);

}  // namespace

Status GatherLayout::Make(const TensorShape& params, const TensorShape& indices, const Tensor* axis_input,
                          int64 batch_dims) {
  int64 at = 0;
  if (axis_input != nullptr) TF_RETURN_IF_ERROR(ReadScalar(*axis_input, "axis", &at));
  TF_RETURN_IF_ERROR(ResolveAxis(at, params.dims(), axis_input == nullptr ? "params" : "axis", "params", &at));
  TF_RETURN_IF_ERROR(ResolveBatchDims(batch_dims, indices.dims(), at, &batch_dims));
  axis = static_cast<int>(at);
  const int batches = static_cast<int>(batch_dims);
  for (int i = 0; i < batches; ++i) {
    if (params.dim_size(i) == indices.dim_size(i)) continue;
    return BatchesDiffer(i, std::to_string(params.dim_size(i)), std::to_string(indices.dim_size(i)));
  }
  if (params.dims() - 1 + indices.dims() - batches > OPSRUN_MAX_RANK) {
    return Wrong("indices", "the result would have more than ", OPSRUN_MAX_RANK, " dimensions");
  }
  batch = Product(params, 0, batch_dims);
  before = Product(params, batch_dims, at);
  size = params.dim_size(axis);
  slice = Product(params, at + 1, params.dims());
  count = Product(indices, batch_dims, indices.dims());
  for (int i = 0; i < axis; ++i) result.AddDim(params.dim_size(i));
  for (int i = batches; i < indices.dims(); ++i) result.AddDim(indices.dim_size(i));
  for (int i = axis + 1; i < params.dims(); ++i) result.AddDim(params.dim_size(i));
  return Status::OK();
}

}  // namespace array_ops
