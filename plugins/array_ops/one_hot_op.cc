// plugins/array_ops/one_hot_op.cc: OneHot, indices as vectors with one element that differs from the others.
// SPDX-License-Identifier: Apache-2.0
#include "one_hot_op.h"

#include "elements.h"
#include "indices.h"
#include "opsrun/op.h"

namespace array_ops {
namespace {

using namespace opsrun;
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

}  // namespace array_ops
