// plugins/math_ops/sum_ops.cc: Sum, Mean and SumToShape.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "axes.h"
#include "mean_fold.h"
#include "reduce.h"
#include "sum_fold.h"
#include "sum_to_shape.h"

namespace math_ops {
namespace {

using namespace opsrun;

class MeanOp : public ReduceOp<MeanFold, Numbers> {
 public:
  using ReduceOp::ReduceOp;

 protected:
  Status CheckCount(int64 count, int64 outputs) const override {
    const bool divides_by_0 = count == 0 && outputs > 0 && DataTypeIsInteger(input_type(0));
    if (!divides_by_0) return Status::OK();
    return errors::InvalidArgument("integers have no mean if there are none; the reduced dimensions have no elements")
        .Blame("input:input");
  }

 private:
  static bool DataTypeIsInteger(DataType type) {
    for (const DataType other : {DT_HALF, DT_BFLOAT16, DT_FLOAT, DT_DOUBLE, DT_COMPLEX64, DT_COMPLEX128}) {
      if (type == other) return false;
    }
    return true;
  }
};

class SumToShapeOp : public OpKernel {
 public:
  explicit SumToShapeOp(OpKernelConstruction* context)
      : OpKernel(context), loops_(FastestLoop<FoldLoopsFor, SumFold>(context->input_type(0), Numbers())) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    TensorShape shape;
    OP_REQUIRES_OK(context, ReadShape(context->input(1), &shape));
    if (shape == input.shape()) return context->set_output(0, input);
    bool summed[OPSRUN_MAX_RANK];
    OP_REQUIRES_OK(context, FindSummedDims(input.shape(), shape, summed));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    Reduce(context, input, summed, *loops_, output);
  }

 private:
  const FoldLoops* const loops_;
};

REGISTER_FOLD("Sum", MATH_OPS_NUMBERS, 0, SumOf)
    .Gradient(REDUCED_SHAPES R"yaml(
  g: {op: Reshape, in: [grad.output, kept]}
  dinput: {op: BroadcastTo, in: [g, shape]}
outputs: {input: dinput, reduction_indices: null}
)yaml")
    .Doc(R"doc(
Adds the elements along some dimensions.

Integers wrap on overflow. Floats are added in pairs, the sums of pairs again in pairs and so on, which keeps rounding
errors small; float16 and bfloat16 are added as float32 and rounded once. The sum of no elements is 0.

)doc" REDUCTION_DOC("Numbers.", "The sums."));

// The number of elements of a mean is that of the input divided by that of the output.
REGISTER_REDUCTION("Mean", MATH_OPS_NUMBERS)
    .Gradient(R"yaml(
feeds:
  one: {value: 1, dtype: int32}
)yaml" REDUCED_SHAPES R"yaml(
  elements: {op: Size, in: input}
  means: {op: Size, in: output}
  some: {op: Maximum, in: [means, one]}
  int_count: {op: Div, in: [elements, some]}
  count: {op: Cast, in: int_count, attrs: {DstT: {attr: T}}}
  g: {op: Reshape, in: [grad.output, kept]}
  spread: {op: BroadcastTo, in: [g, shape]}
  dinput: {op: RealDiv, in: [spread, count]}
outputs: {input: dinput, reduction_indices: null}
)yaml")
    .Doc(R"doc(
Computes the means of the elements along some dimensions.

Means of integers drop the fraction. float16 and bfloat16 are computed as float32 and rounded once. The mean of no
elements is NaN, and an error for integers.

)doc" REDUCTION_DOC("Numbers.", "The means."));

REGISTER_OP("SumToShape")
    .Input("input: T")
    .Input("shape: Tshape")
    .Output("output: T")
    .Attr("T: {" MATH_OPS_NUMBERS "}")
    .Attr("Tshape: {int32, int64} = DT_INT32")
    .SetShapeFn(SumToShapeShapeFn)
    .Gradient(R"yaml(
nodes:
  shape_of_input: {op: Shape, in: input}
  dinput: {op: BroadcastTo, in: [grad.output, shape_of_input]}
outputs: {input: dinput, shape: null}
)yaml")
    .Doc(R"doc(
Adds the elements that broadcasting would make from one: the way back from BroadcastTo.

The sums are over the dimensions that the input has and the shape does not, and over those where the shape has 1.

input: Numbers, in a shape that `shape` can be broadcast to.
shape: The sizes of the output.
output: The sums; the input, if it has that shape.
)doc");

REGISTER_KERNEL_BUILDER(Name("Sum").Device(DEVICE_CPU), ReduceOp<SumFold, Numbers>)
REGISTER_KERNEL_BUILDER(Name("Mean").Device(DEVICE_CPU), MeanOp)
REGISTER_KERNEL_BUILDER(Name("SumToShape").Device(DEVICE_CPU), SumToShapeOp)

}  // namespace
}  // namespace math_ops
