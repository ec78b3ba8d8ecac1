// plugins/array_ops/dense_ops.cc: OneHot and SparseToDense: tensors of one value with other values at some indices.
// SPDX-License-Identifier: Apache-2.0
#include "elements.h"
#include "indexed_ops.h"
#include "indices.h"
#include "opsrun/op.h"

namespace array_ops {
namespace {

using namespace shape_inference;

constexpr int kIndices = OneHotLayout::kIndices, kDepth = OneHotLayout::kDepth, kOn = OneHotLayout::kOn,
              kOff = OneHotLayout::kOff;

// The axis counts dimensions of the output.
Status Resolve(int64 axis, int64 rank_of_indices, int64* resolved) {
  if (axis < -1 || axis > rank_of_indices) {
    return errors::InvalidArgument("axis is ", axis, ", but must be between -1 and ", rank_of_indices,
                                   ", since indices has rank ", rank_of_indices)
        .Blame("attr:axis");
  }
  *resolved = axis == -1 ? rank_of_indices : axis;
  return Status::OK();
}

Status CheckDepth(int64 depth) {
  return depth >= 0 ? Status::OK() : Wrong("depth", "depth is ", depth, ", but must be 0 or more");
}

Status OneHotShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckScalar(c, kDepth, "depth"));
  TF_RETURN_IF_ERROR(CheckScalar(c, kOn, "on_value"));
  TF_RETURN_IF_ERROR(CheckScalar(c, kOff, "off_value"));
  const ShapeHandle indices = c->input(kIndices);
  int64 axis;
  TF_RETURN_IF_ERROR(c->GetAttr("axis", &axis));
  if (const Tensor* value = c->input_tensor(kDepth)) TF_RETURN_IF_ERROR(CheckDepth(Integers(*value)[0]));
  if (!c->RankKnown(indices)) return SetUnknownOfRank(c, -1);
  DimensionHandle depth;
  ShapeHandle before, after;
  TF_RETURN_IF_ERROR(Resolve(axis, c->Rank(indices), &axis));
  TF_RETURN_IF_ERROR(c->MakeDimForScalarInput(kDepth, &depth));
  TF_RETURN_IF_ERROR(c->Subshape(indices, 0, axis, &before));
  TF_RETURN_IF_ERROR(c->Subshape(indices, axis, &after));
  TF_RETURN_IF_ERROR(c->Concatenate(before, c->Vector(depth), &before));
  TF_RETURN_IF_ERROR(c->Concatenate(before, after, &before));
  c->set_output(0, before);
  return Status::OK();
}

template <typename E, typename Index>
void Write(OpKernelContext* context, const OneHotLayout& l, const Index* indices, Tensor* output) {
  const E on = *ElementsOf<E>(context->input(kOn)), off = *ElementsOf<E>(context->input(kOff));
  E* to = ElementsOf<E>(output);
  const int64 block = l.depth * l.suffix;
  ForIndices(context, l.prefix, block * kMovedBytes<E>, [&](int64 begin, int64 end) {
    std::fill(to + begin * block, to + end * block, off);
    for (int64 i = begin * l.suffix; i < end * l.suffix; ++i) {
      const int64 index = static_cast<int64>(indices[i]);
      if (index < 0 || index >= l.depth) continue;
      to[i / l.suffix * block + index * l.suffix + i % l.suffix] = on;
    }
  });
}

template <typename Index>
Status WriteOneHot(OpKernelContext* context, const OneHotLayout& layout, Tensor* output) {
  const Index* indices = static_cast<const Index*>(context->input(kIndices).data());
  VisitElement(output->dtype(),
               [&](auto element) { Write<typename decltype(element)::type>(context, layout, indices, output); });
  return Status::OK();
}

REGISTER_OP("OneHot")
    .Input("indices: TI")
    .Input("depth: int32")
    .Input("on_value: T")
    .Input("off_value: T")
    .Output("output: T")
    .Attr("axis: int = -1")
    .Attr("T: type")
    .Attr("TI: {uint8, int8, int32, int64} = DT_INT64")
    .SetShapeFn(OneHotShape)
    .NotDifferentiable()
    .Doc(R"doc(
Makes a vector of each index: on_value at that index, off_value everywhere else.

indices: Indices. One that is negative, or not below depth, gives a vector of off_value alone.
depth: A scalar, how many elements each vector has.
on_value: A scalar.
off_value: A scalar.
output: The vectors: one dimension more than the indices.
axis: Which dimension of the output goes along the vectors; -1 is the last.
)doc");

#define REGISTER_ONE_HOT(TI)                                                                                      \
  REGISTER_KERNEL_BUILDER(Name("OneHot").Device(DEVICE_CPU).TypeConstraint("T", kMoved).TypeConstraint<TI>("TI"), \
                          OneHotOp<WriteOneHot<TI>>);
REGISTER_ONE_HOT(uint8)
REGISTER_ONE_HOT(int8)
REGISTER_ONE_HOT(int32)
REGISTER_ONE_HOT(int64)
#undef REGISTER_ONE_HOT

constexpr int kShape = 1, kValues = 2, kDefault = 3;  // input 0 is kIndices too

Status DenseShape(InferenceContext* c) {
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(kShape, &shape));
  TF_RETURN_IF_ERROR(CheckScalar(c, kDefault, "default_value"));
  c->set_output(0, shape);
  return Status::OK();
}

// The length of an index vector: 1 if the indices are a scalar or a vector.
int64 DepthOf(const Tensor& indices) {
  return indices.dims() < 2 ? 1 : indices.dim_size(1);
}

// Lexicographic order of the indices is the order of their row-major offsets.
Status CheckOrder(const std::vector<int64>& offsets) {
  for (size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] <= offsets[i - 1]) return DisorderedIndex(static_cast<int64>(i), offsets[i] == offsets[i - 1]);
  }
  return Status::OK();
}

Status FindDenseOffsets(const Tensor& indices, const TensorShape& shape, std::vector<int64>* offsets) {
  int64 slice;  // 1: an index has a number for each dimension
  if (indices.dims() == 2) return FindOffsets(indices, kSparseIndices, shape, "the output", offsets, &slice);
  TF_RETURN_IF_ERROR(CheckIndices(indices, kSparseIndices, shape.dim_size(0), 0, "the output"));
  *offsets = Integers(indices);
  return Status::OK();
}

Status WriteDense(OpKernelContext* context, const TensorShape& shape, bool validate) {
  std::vector<int64> offsets;
  TF_RETURN_IF_ERROR(FindDenseOffsets(context->input(kIndices), shape, &offsets));
  if (validate) TF_RETURN_IF_ERROR(CheckOrder(offsets));
  Tensor* output = nullptr;
  TF_RETURN_IF_ERROR(context->allocate_output(0, shape, &output));
  VisitElement(output->dtype(), [&](auto element) {
    using E = typename decltype(element)::type;
    FillWith(context, *ElementsOf<E>(context->input(kDefault)), output);
    const E* value = ElementsOf<E>(context->input(kValues));
    E* to = ElementsOf<E>(output);
    const bool one_value = context->input(kValues).dims() == 0;
    for (size_t i = 0; i < offsets.size(); ++i) to[offsets[i]] = value[one_value ? 0 : i];
  });
  return Status::OK();
}

REGISTER_OP("SparseToDense")
    .Input("sparse_indices: Tindices")
    .Input("output_shape: Tindices")
    .Input("sparse_values: T")
    .Input("default_value: T")
    .Output("dense: T")
    .Attr("validate_indices: bool = true")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .SetShapeFn(DenseShape)
    .Gradient(R"yaml(
feeds:
  any: {value: [-1], dtype: {attr: Tindices}}
  zero: {value: 0, dtype: int32}
nodes:
  rank: {op: Shape, in: output_shape, attrs: {out_type: {attr: Tindices}}}
  vectors_shape: {op: ConcatV2, in: {values: [any, rank], axis: zero}}
  vectors: {op: Reshape, in: [sparse_indices, vectors_shape]}
  taken: {op: GatherNd, in: [grad.dense, vectors]}
  values_shape: {op: Shape, in: sparse_values}
  default_shape: {op: Shape, in: default_value}
  dvalues: {op: SumToShape, in: [taken, values_shape]}
  all: {op: SumToShape, in: [grad.dense, default_shape]}
  of_values: {op: SumToShape, in: [taken, default_shape]}
  ddefault: {op: Sub, in: [all, of_values]}
outputs: {sparse_indices: null, output_shape: null, sparse_values: dvalues, default_value: ddefault}
)yaml")
    .Doc(R"doc(
Makes a tensor of a default value with other values at some indices.

sparse_indices: A matrix: each row is an index. If the output is a vector, its indices may be a vector or a scalar. An
    index that is negative or too large is an error.
output_shape: The shape of the output.
sparse_values: A vector with a value for each index, or a scalar, the value for all.
default_value: A scalar, the value of all other elements.
dense: The tensor.
validate_indices: Whether the indices must be in row-major order, each named once. Without it, the last of several
    values for an index counts.
)doc");

REGISTER_KERNEL_BUILDER(ARRAY_OPS_CPU("SparseToDense"), SparseToDenseOp<WriteDense>);

}  // namespace

Status FindOneHot(OpKernelContext* context, int64 axis, OneHotLayout* l, TensorShape* shape) {
  const Tensor& indices = context->input(kIndices);
  TF_RETURN_IF_ERROR(Resolve(axis, indices.dims(), &axis));
  TF_RETURN_IF_ERROR(ReadScalar(context->input(kDepth), "depth", &l->depth));
  TF_RETURN_IF_ERROR(CheckDepth(l->depth));
  for (const int i : {kOn, kOff}) {
    const char* name = i == kOn ? "on_value" : "off_value";
    if (context->input(i).dims() != 0) return Wrong(name, name, " must be a scalar");
  }
  *shape = indices.shape();
  for (int i = 0; i < indices.dims(); ++i) (i < axis ? l->prefix : l->suffix) *= indices.dim_size(i);
  shape->InsertDim(static_cast<int>(axis), l->depth);
  return Status::OK();
}

Status CheckDenseInputs(OpKernelContext* context, const TensorShape& shape) {
  const Tensor &indices = context->input(kIndices), &values = context->input(kValues);
  if (indices.dims() > 2) {
    return Wrong(kSparseIndices, "sparse_indices must be a scalar, a vector or a matrix, but its shape is ",
                 indices.shape().DebugString());
  }
  if (DepthOf(indices) != shape.dims()) {
    return Wrong(kSparseIndices, "an index has ", DepthOf(indices), " numbers, but output_shape has ", shape.dims());
  }
  const int64 count = indices.dims() == 0 ? 1 : indices.dim_size(0);
  if (values.dims() > 1 || (values.dims() == 1 && values.dim_size(0) != count)) {
    return Wrong("sparse_values", "sparse_values must be a scalar or have one element for each of ", count,
                 " indices, but its shape is ", values.shape().DebugString());
  }
  return CheckScalar(context->input(kDefault).shape(), "default_value");
}

Status DisorderedIndex(int64 i, bool is_same) {
  return Wrong(kSparseIndices, "index ", i, is_same ? " is the same as" : " comes before", " index ", i - 1,
               "; sort the indices and name each once, or set validate_indices to false");
}

}  // namespace array_ops
