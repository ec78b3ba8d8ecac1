// plugins/math_ops/reduced_shape_op.cc: ReducedShape, which gradients of reductions use.
// SPDX-License-Identifier: Apache-2.0
#include "axes.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"

namespace math_ops {
namespace {

using namespace opsrun;
using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// The sizes of the output are known before the run as well as those of the shape are.
Status ReducedShapeShape(InferenceContext* c) {
  ShapeHandle sizes, shape;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &sizes));
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &shape));
  c->set_output(0, sizes);
  const Tensor* axes = c->input_tensor(1);
  if (!c->RankKnown(shape)) return Status::OK();
  std::vector<DimensionHandle> dims;
  bool reduced[OPSRUN_MAX_RANK];
  if (axes != nullptr) TF_RETURN_IF_ERROR(ReadAxes(*axes, c->Rank(shape), reduced));
  for (int i = 0; i < c->Rank(shape); ++i) {
    const DimensionHandle kept = axes == nullptr ? c->UnknownDim() : c->Dim(shape, i);
    dims.push_back(axes != nullptr && reduced[i] ? c->MakeDim(1) : kept);
  }
  c->set_output_tensor_as_shape(0, c->MakeShape(dims));
  return Status::OK();
}

template <typename T>
class ReducedShapeOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor& shape = context->input(0);
    OP_REQUIRES(context, shape.dims() == 1 && shape.NumElements() <= OPSRUN_MAX_RANK,
                errors::InvalidArgument("a shape is a vector of at most ", OPSRUN_MAX_RANK,
                                        " sizes, but this is a tensor of shape ", shape.shape().DebugString())
                    .Blame("input:shape"));
    bool reduced[OPSRUN_MAX_RANK];
    OP_REQUIRES_OK(context, ReadAxes(context->input(1), static_cast<int>(shape.NumElements()), reduced));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape.shape(), &output));
    auto sizes = output->vec<T>();
    for (int64 i = 0; i < shape.NumElements(); ++i) sizes(i) = reduced[i] ? 1 : shape.vec<T>()(i);
  }
};

REGISTER_OP("ReducedShape")
    .Input("shape: Tshape")
    .Input("reduction_indices: Tidx")
    .Output("output: Tshape")
    .Attr("Tshape: {int32, int64} = DT_INT32")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .SetShapeFn(ReducedShapeShape)
    .NotDifferentiable()
    .Doc(R"doc(
Gives the shape that a reduction with keep_dims has: the sizes of its input, with 1 at the reduced axes.

shape: The sizes of a tensor.
reduction_indices: Axes of that tensor, a scalar or a vector. Negative ones count from the end.
output: The sizes, with ones at the axes.
)doc");

REGISTER_KERNEL_BUILDER(Name("ReducedShape").Device(DEVICE_CPU).TypeConstraint<int32>("Tshape"), ReducedShapeOp<int32>)
REGISTER_KERNEL_BUILDER(Name("ReducedShape").Device(DEVICE_CPU).TypeConstraint<int64>("Tshape"), ReducedShapeOp<int64>)

}  // namespace
}  // namespace math_ops
