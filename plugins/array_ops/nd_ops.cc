// plugins/array_ops/nd_ops.cc: GatherNd and ScatterNd, slices of a tensor by vectors of indices.
// SPDX-License-Identifier: Apache-2.0
#include "indexed_ops.h"
#include "indices.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"

namespace array_ops {
namespace {

using namespace shape_inference;

Status TooDeep(int64 depth, int64 rank, const char* what) {
  return Wrong("indices", "the last dimension of indices has size ", depth, ", but ", what, " has rank ", rank,
               ": an index has at most that many numbers");
}

Status GatherNd(OpKernelContext* context, Tensor* output) {
  const Tensor& params = context->input(0);
  std::vector<int64> offsets;
  int64 slice;
  TF_RETURN_IF_ERROR(FindOffsets(context->input(1), "indices", params.shape(), "params", &offsets, &slice));
  if (output->NumElements() == 0) return Status::OK();
  VisitElement(params.dtype(), [&](auto element) {
    using E = typename decltype(element)::type;
    const E* from = ElementsOf<E>(params);
    E* to = ElementsOf<E>(output);
    ForIndices(context, static_cast<int64>(offsets.size()), slice * kMovedBytes<E>, [&](int64 begin, int64 end) {
      for (; begin < end; ++begin) {
        std::copy_n(from + offsets[static_cast<size_t>(begin)], slice, to + begin * slice);
      }
    });
  });
  return Status::OK();
}

Status ScatterNd(OpKernelContext* context, Tensor* output) {
  const Tensor& updates = context->input(1);
  std::vector<int64> offsets;
  int64 slice;
  TF_RETURN_IF_ERROR(FindOffsets(context->input(0), "indices", output->shape(), "the output", &offsets, &slice));
  if (updates.NumElements() == 0) {
    FillWithZeros(context, output);
    return Status::OK();
  }
  // Adds in the order of the indices, so sums for equal indices do not depend on the number of threads.
  return VisitNumber(updates.dtype(), [&](auto element) {
    using T = typename decltype(element)::type;
    return MakeSums<T>(context, output, [&](SumOf<T>* to) {
      const T* from = static_cast<const T*>(updates.data());
      for (const int64 offset : offsets) {
        AddTo(to + offset, from, slice);
        from += slice;
      }
    });
  });
}

Status ScatterNdShape(InferenceContext* c) {
  ShapeHandle shape, indices, slices, whole;
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(2, &shape));
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &indices));
  c->set_output(0, shape);
  const int64 depth = c->RankKnown(indices) ? c->Value(c->Dim(indices, -1)) : -1;
  if (depth < 0 || !c->RankKnown(shape)) return Status::OK();
  if (depth > c->Rank(shape)) return TooDeep(depth, c->Rank(shape), "the output");
  TF_RETURN_IF_ERROR(c->Subshape(indices, 0, -1, &slices));
  TF_RETURN_IF_ERROR(c->Subshape(shape, depth, &whole));
  TF_RETURN_IF_ERROR(c->Concatenate(slices, whole, &slices));
  return CheckShape(c, 1, "updates", slices);
}

REGISTER_OP("GatherNd")
    .Input("params: Tparams")
    .Input("indices: Tindices")
    .Output("output: Tparams")
    .Attr("Tparams: type")
    .Attr("Tindices: {int32, int64}")
    .SetShapeFn(shape_inference::GatherNdShape)
    .Gradient(R"yaml(
nodes:
  shape: {op: Shape, in: params, attrs: {out_type: {attr: Tindices}}}
  dparams: {op: ScatterNd, in: [indices, grad.output, shape]}
outputs: {params: dparams, indices: null}
slices: {params: {values: grad.output, vectors: indices}}
)yaml")
    .Doc(R"doc(
Takes slices of a tensor: each vector along the last dimension of indices is an index into the first dimensions.

params: Any tensor.
indices: Vectors of at most as many indices as params has dimensions. An index that is negative or too large is an
    error. TensorFlow's op takes int16 as well.
output: For each vector, an element of params, or a slice if dimensions are left. Its shape is indices.shape[:-1] +
    params.shape[indices.shape[-1]:].
)doc");

REGISTER_OP("ScatterNd")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Input("shape: Tindices")
    .Output("output: T")
    .Attr("T: numbertype")
    .Attr("Tindices: {int32, int64}")
    .SetShapeFn(ScatterNdShape)
    .Gradient(R"yaml(
nodes:
  dupdates: {op: GatherNd, in: [grad.output, indices]}
outputs: {indices: null, updates: dupdates, shape: null}
)yaml")
    .Doc(R"doc(
Adds slices to a tensor of zeros: each vector along the last dimension of indices says where a slice goes.

indices: Vectors of at most as many indices as the output has dimensions. An index that is negative or too large is an
    error.
updates: The slices. Its shape is indices.shape[:-1] + shape[indices.shape[-1]:]. TensorFlow's op takes bools and
    strings as well.
shape: The shape of the output.
output: The sums. Slices with equal indices add up, in their order; integers wrap on overflow. float16 and bfloat16 are
    added as float32 and rounded once.
)doc");

REGISTER_KERNEL_BUILDER(Name("GatherNd").Device(DEVICE_CPU).TypeConstraint("Tparams", kMoved),
                        FunctionOp<ComputeGatherNd<GatherNd>>);
REGISTER_KERNEL_BUILDER(Name("ScatterNd").Device(DEVICE_CPU).TypeConstraint("T", kNumbers),
                        FunctionOp<ComputeScatterNd<ScatterNd>>);

}  // namespace

Status CheckDepth(const Tensor& indices, int rank, const char* what) {
  if (indices.dims() == 0) return Wrong("indices", "indices must have one dimension or more, but is a scalar");
  const int64 depth = indices.dim_size(indices.dims() - 1);
  return depth <= rank ? Status::OK() : TooDeep(depth, rank, what);
}

Status NdShape(const TensorShape& indices, const TensorShape& whole, TensorShape* shape) {
  const int depth = static_cast<int>(indices.dim_size(indices.dims() - 1));
  if (indices.dims() - 1 + whole.dims() - depth > OPSRUN_MAX_RANK) {
    return Wrong("indices", "the result would have more than ", OPSRUN_MAX_RANK, " dimensions");
  }
  for (int i = 0; i < indices.dims() - 1; ++i) shape->AddDim(indices.dim_size(i));
  for (int i = depth; i < whole.dims(); ++i) shape->AddDim(whole.dim_size(i));
  return Status::OK();
}

}  // namespace array_ops
