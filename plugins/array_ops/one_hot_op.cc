// plugins/array_ops/one_hot_op.cc: OneHot, indices as vectors with one element that differs from the others.
// SPDX-License-Identifier: Apache-2.0
#include "elements.h"
#include "integers.h"
#include "opsrun/op.h"

namespace array_ops {
namespace {

using namespace opsrun;
using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

constexpr int kIndices = 0, kDepth = 1, kOn = 2, kOff = 3;

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

// `suffix` indices lie side by side; each becomes a column of `depth` elements.
struct Columns {
  int64 depth, suffix;
};

template <typename E, typename Index>
void Write(OpKernelContext* context, const Columns& columns, int64 prefix, const Index* indices, Tensor* output) {
  const E on = *ElementsOf<E>(context->input(kOn)), off = *ElementsOf<E>(context->input(kOff));
  E* to = ElementsOf<E>(output);
  const int64 block = columns.depth * columns.suffix;
  ForIndices(context, prefix, block * kMovedBytes<E>, [&](int64 begin, int64 end) {
    std::fill(to + begin * block, to + end * block, off);
    for (int64 i = begin * columns.suffix; i < end * columns.suffix; ++i) {
      const int64 index = static_cast<int64>(indices[i]);
      if (index < 0 || index >= columns.depth) continue;
      to[i / columns.suffix * block + index * columns.suffix + i % columns.suffix] = on;
    }
  });
}

template <typename Index>
class OneHotOp : public OpKernel {
 public:
  explicit OneHotOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("axis", &axis_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& indices = context->input(kIndices);
    int64 axis, depth;
    OP_REQUIRES_OK(context, Resolve(axis_, indices.dims(), &axis));
    OP_REQUIRES_OK(context, ReadScalar(context->input(kDepth), "depth", &depth));
    OP_REQUIRES_OK(context, CheckDepth(depth));
    for (const int i : {kOn, kOff}) {
      const char* name = i == kOn ? "on_value" : "off_value";
      OP_REQUIRES(context, context->input(i).dims() == 0, Wrong(name, name, " must be a scalar"));
    }
    TensorShape shape = indices.shape();
    shape.InsertDim(static_cast<int>(axis), depth);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    if (output->NumElements() == 0) return;
    Columns columns = {depth, 1};
    for (int i = static_cast<int>(axis); i < indices.dims(); ++i) columns.suffix *= indices.dim_size(i);
    const int64 prefix = indices.NumElements() / columns.suffix;
    VisitElement(output->dtype(), [&](auto element) {
      Write<typename decltype(element)::type>(context, columns, prefix, static_cast<const Index*>(indices.data()),
                                              output);
    });
  }

 private:
  int64 axis_ = -1;
};

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

#define REGISTER_ONE_HOT(TI) \
  REGISTER_KERNEL_BUILDER(   \
      Name("OneHot").Device(DEVICE_CPU).TypeConstraint("T", kMovedWithFloat8).TypeConstraint<TI>("TI"), OneHotOp<TI>);
REGISTER_ONE_HOT(uint8)
REGISTER_ONE_HOT(int8)
REGISTER_ONE_HOT(int32)
REGISTER_ONE_HOT(int64)
#undef REGISTER_ONE_HOT

}  // namespace
}  // namespace array_ops
