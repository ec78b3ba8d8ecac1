// plugins/shape_ops/shape_op.cc: Shape, the sizes of a tensor as a tensor.
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "opsrun/op.h"
#include "opsrun/plugin.h"
#include "opsrun/shape_inference.h"
#include "sizes.h"

OPSRUN_PLUGIN("shape_ops", "0.1.0");

namespace shape_ops {
namespace {

using namespace opsrun;
using shape_inference::InferenceContext;

// [shape_fn]
// What the output will hold is known before the run as well as the input's shape is.
Status ShapeShape(InferenceContext* c) {
  c->set_output(0, c->Vector(c->RankKnown(c->input(0)) ? c->Rank(c->input(0)) : InferenceContext::kUnknownDim));
  c->set_output_tensor_as_shape(0, c->input(0));
  return Status::OK();
}
// [/shape_fn]

template <typename T>
class ShapeOp : public OpKernel {
 public:
  explicit ShapeOp(OpKernelConstruction* context) : OpKernel(context) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({input.dims()}), &output));
    auto sizes = output->vec<T>();
    for (int i = 0; i < input.dims(); ++i) {
      OP_REQUIRES(context, input.dim_size(i) <= std::numeric_limits<T>::max(),
                  errors::InvalidArgument("dimension ", i, " has size ", input.dim_size(i),
                                          ", more than int32 can hold; set out_type: int64")
                      .Blame("attr:out_type"));
      sizes(i) = static_cast<T>(input.dim_size(i));
    }
  }
};

REGISTER_OP("Shape")
    .Input("input: T")
    .Output("output: out_type")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = DT_INT32")
    .SetShapeFn(ShapeShape)
    .NotDifferentiable()
    .Doc(R"doc(
The sizes of a tensor, as a vector with an element for each dimension.

input: Any tensor.
output: Its sizes.
out_type: What the sizes are written in.
)doc");

REGISTER_KERNEL_BUILDER(Name("Shape").Device(DEVICE_CPU).TypeConstraint<int32>("out_type"), ShapeOp<int32>);
REGISTER_KERNEL_BUILDER(Name("Shape").Device(DEVICE_CPU).TypeConstraint<int64>("out_type"), ShapeOp<int64>);

#if GOOGLE_CUDA
// They read no element, so the input stays on the GPU; the sizes are of use to the CPU.
#define GPU_SHAPE(Int)                                         \
  REGISTER_KERNEL_BUILDER(Name("Shape")                        \
                              .Device(DEVICE_GPU)              \
                              .TypeConstraint("T", kFixedSize) \
                              .TypeConstraint<Int>("out_type") \
                              .HostMemory("output"),           \
                          ShapeOp<Int>);
GPU_SHAPE(int32)
GPU_SHAPE(int64)
#undef GPU_SHAPE
#endif  // GOOGLE_CUDA

}  // namespace
}  // namespace shape_ops
