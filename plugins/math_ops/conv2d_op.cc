// plugins/math_ops/conv2d_op.cc: Conv2D, the convolution of images with a filter.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "conv2d_ops.h"

namespace math_ops {

using namespace opsrun;
using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

Status MergeConvShapes(InferenceContext* c, ShapeHandle* images, ShapeHandle* filter, ShapeHandle* convolved) {
  ImageAttrs attrs;
  TF_RETURN_IF_ERROR(GetConvAttrs(c, &attrs));
  TF_RETURN_IF_ERROR(c->WithRank(*images, 4, images));
  TF_RETURN_IF_ERROR(c->WithRank(*filter, 4, filter));
  DimensionHandle channels, sides[2];
  const DimensionHandle of_images = c->Dim(*images, 3), of_filter = c->Dim(*filter, 2);
  const Status merged = c->Merge(of_images, of_filter, &channels);
  if (!merged.ok() && AreGroups(c->Value(of_images), c->Value(of_filter)))
    return WrongChannels(c->Value(of_images), c->Value(of_filter));
  TF_RETURN_IF_ERROR(merged);
  TF_RETURN_IF_ERROR(c->ReplaceDim(*images, 3, channels, images));
  TF_RETURN_IF_ERROR(c->ReplaceDim(*filter, 2, channels, filter));
  for (int side = 0; side < 2; ++side) {
    TF_RETURN_IF_ERROR(WindowsDim(c, attrs, side, c->Dim(*images, side + 1), c->Dim(*filter, side), &sides[side]));
  }
  const ShapeHandle expected = c->MakeShape({c->Dim(*images, 0), sides[0], sides[1], c->Dim(*filter, 3)});
  TF_RETURN_IF_ERROR(c->Merge(*convolved, expected, convolved));
  TF_RETURN_IF_ERROR(c->ReplaceDim(*images, 0, c->Dim(*convolved, 0), images));
  return c->ReplaceDim(*filter, 3, c->Dim(*convolved, 3), filter);
}

Status CheckConvGradient(const Convolution& convolution, const Tensor& gradient) {
  const TensorShape shape = convolution.OutputShape();
  if (gradient.shape() == shape) return Status::OK();
  return errors::InvalidArgument("out_backprop must have the shape of the convolved images, ", shape.DebugString(),
                                 ", but its shape is ", gradient.shape().DebugString())
      .Blame("input:out_backprop");
}

void ConvKernel::Multiply(OpKernelContext* context, const Convolution& convolution, const Tensor& x, const Tensor& y,
                          const TensorShape& shape) {
  Tensor* output = nullptr;
  OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
  if (x.NumElements() == 0 || y.NumElements() == 0) {  // the other sizes may be too large for loops
    std::memset(output->data(), 0, static_cast<size_t>(output->NumElements() * DataTypeSize(output->dtype())));
  } else if (output->NumElements() > 0) {
    OP_REQUIRES_OK(context, loop_(context, convolution, x.data(), y.data(), output->data()));
  }
}

namespace {

Status Conv2DShape(InferenceContext* c) {
  ShapeHandle images = c->input(0), filter = c->input(1), convolved = c->UnknownShape();
  TF_RETURN_IF_ERROR(MergeConvShapes(c, &images, &filter, &convolved));
  c->set_output(0, convolved);
  return Status::OK();
}

REGISTER_OP("Conv2D")
    .Input("input: T")
    .Input("filter: T")
    .Output("output: T")
    .MATH_OPS_CONV_ATTRS.SetShapeFn(Conv2DShape)
    .Gradient(R"yaml(
nodes:
  input_sizes: {op: Shape, in: input}
  filter_sizes: {op: Shape, in: filter}
  dinput:
    op: Conv2DBackpropInput
    in: [input_sizes, filter, grad.output]
    )yaml" MATH_OPS_SAME_CONV R"yaml(
  dfilter:
    op: Conv2DBackpropFilter
    in: [input, filter_sizes, grad.output]
    )yaml" MATH_OPS_SAME_CONV R"yaml(
outputs: {input: dinput, filter: dfilter}
)yaml")
    .Doc(
        "Slides windows over images and gives, for each filter, the sum of the products of window and filter.\n\n"
        "The filter is not mirrored. float16 and bfloat16 are computed as float32 and rounded once.\n\n"
        "input: Images, [batch, height, width, channels].\n"
        "filter: Filters for windows of this size, [height, width, channels, filters].\n"
        "output: The sums, [batch, windows along the height, windows along the width, "
        "filters].\n" MATH_OPS_CONV_ATTR_DOCS);

class Conv2DOp : public ConvKernel {
 public:
  explicit Conv2DOp(OpKernelConstruction* context) : ConvKernel(context, ConvolveLoop(context->input_type(0))) {}

  void Compute(OpKernelContext* context) override {
    const Tensor &input = context->input(0), &filter = context->input(1);
    Convolution convolution;
    OP_REQUIRES_OK(
        context,
        MakeConvolution(attrs(), input.shape(), filter.shape(), &convolution).Blame("input:input input:filter"));
    Multiply(context, convolution, input, filter, convolution.OutputShape());
  }
};

REGISTER_KERNEL_BUILDER(Name("Conv2D").Device(DEVICE_CPU), Conv2DOp);

}  // namespace
}  // namespace math_ops
