// plugins/math_ops/conv2d_ops.cc: Conv2D, Conv2DBackpropInput and Conv2DBackpropFilter.
// SPDX-License-Identifier: Apache-2.0
#include "conv2d_ops.h"

#include "bias.h"
#include "elementwise.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"

// The attrs of all three ops.
#define MATH_OPS_CONV_ATTRS                           \
  Attr("T: {" MATH_OPS_CONV_TYPES "}")                \
      .Attr("strides: list(int)")                     \
      .Attr("use_cudnn_on_gpu: bool = true")          \
      .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}") \
      .Attr("explicit_paddings: list(int) = []")      \
      .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'") \
      .Attr("dilations: list(int) = [1, 1, 1, 1]")

#define MATH_OPS_CONV_ATTR_DOCS                                                                                    \
  "strides: How far apart windows are: [1, height, width, 1].\n"                                                   \
  "use_cudnn_on_gpu: Whether a GPU may use cuDNN, where it is installed.\n"                                        \
  "padding: SAME: as many windows as strides fit into the image, which is padded with zeros. VALID: only windows " \
  "inside the image. EXPLICIT: the image is padded with zeros as explicit_paddings says.\n"                        \
  "explicit_paddings: [0, 0, top, bottom, left, right, 0, 0].\n"                                                   \
  "data_format: Only NHWC is supported.\n"                                                                         \
  "dilations: How far apart the pixels of a window are: [1, height, width, 1].\n"

// The attrs of a gradient node, copied from the op's.
#define MATH_OPS_SAME_CONV                                                                                     \
  "attrs: {strides: {attr: strides}, padding: {attr: padding}, explicit_paddings: {attr: explicit_paddings}, " \
  "data_format: {attr: data_format}, dilations: {attr: dilations}, use_cudnn_on_gpu: {attr: use_cudnn_on_gpu}}"

namespace math_ops {

// The nodes after Conv2D that it can compute.

namespace {

enum class AfterConv2D { kBias, kAdded, kRelu, kOther };

AfterConv2D KindOf(const FusedNode& node) {
  if (node.op == "Relu") return AfterConv2D::kRelu;
  const bool is_bias = node.op == "BiasAdd" || node.op == "BiasAddV1";
  if (!is_bias && node.op != "Add" && node.op != "AddV2") return AfterConv2D::kOther;
  const auto chained = static_cast<size_t>(node.chained);
  const TensorShape &sums = node.inputs[chained], &added = node.inputs[1 - chained];
  if (is_bias) {
    const auto* const kernel = static_cast<const BiasAddOp<BinaryOp<Add, Numbers>>*>(node.kernel);
    return chained == 0 && kernel->channels().position() == -1 ? AfterConv2D::kBias : AfterConv2D::kOther;
  }
  if (added == sums) return AfterConv2D::kAdded;
  return added == TensorShape({sums.dim_size(3)}) ? AfterConv2D::kBias : AfterConv2D::kOther;
}

}  // namespace

int FuseAfterConv2D(const std::vector<FusedNode>& nodes, FusedAfterConv2D* fused) {
  const DataType type = nodes[0].kernel->input_type(0);
  const auto is_empty = [](const TensorShape& shape) { return shape.num_elements() == 0; };
  if ((type != DT_FLOAT && type != DT_DOUBLE) ||
      std::any_of(nodes[0].inputs.begin(), nodes[0].inputs.end(), is_empty)) {
    return 1;
  }
  size_t n = 1;
  const auto take = [&](AfterConv2D kind) {
    const bool takes = n < nodes.size() && KindOf(nodes[n]) == kind;
    n += takes;
    return takes;
  };
  fused->bias = take(AfterConv2D::kBias);
  fused->added = take(AfterConv2D::kAdded);
  fused->relu = take(AfterConv2D::kRelu);
  return static_cast<int>(n);
}

namespace {

using namespace shape_inference;

// The known shapes of images, filter and convolved images, each merged with what follows from the other two.
Status MergeConvShapes(InferenceContext* c, ShapeHandle* images, ShapeHandle* filter, ShapeHandle* convolved) {
  ImageAttrs attrs;
  TF_RETURN_IF_ERROR(GetImageAttrs(c, &attrs));
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
    .Gradient(
        "nodes:\n"
        "  input_sizes: {op: Shape, in: input}\n"
        "  filter_sizes: {op: Shape, in: filter}\n"
        "  dinput: {op: Conv2DBackpropInput, in: [input_sizes, filter, grad.output], " MATH_OPS_SAME_CONV
        "}\n"
        "  dfilter: {op: Conv2DBackpropFilter, in: [input, filter_sizes, grad.output], " MATH_OPS_SAME_CONV
        "}\n"
        "outputs: {input: dinput, filter: dfilter}\n")
    .Doc(
        "Slides windows over images and gives, for each filter, the sum of the products of window and filter.\n\n"
        "The filter is not mirrored. float16 and bfloat16 are computed as float32 and rounded once.\n\n"
        "input: Images, [batch, height, width, channels].\n"
        "filter: Filters for windows of this size, [height, width, channels, filters].\n"
        "output: The sums, [batch, windows along the height, windows along the width, "
        "filters].\n" MATH_OPS_CONV_ATTR_DOCS);

REGISTER_KERNEL_BUILDER(Name("Conv2D").Device(DEVICE_CPU).Tiled().Rows("output", "input"), Conv2DOp<CpuConvolver>);

// Conv2DBackpropInput and Conv2DBackpropFilter, the gradients of Conv2D.

// The sizes may also be only height and width.
Status BackpropInputShape(InferenceContext* c) {
  ShapeHandle images, filter = c->input(1), convolved = c->input(2);
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &images));
  if (c->RankKnown(images) && c->Rank(images) == 2) {
    TF_RETURN_IF_ERROR(c->WithRank(filter, 4, &filter));
    TF_RETURN_IF_ERROR(c->WithRank(convolved, 4, &convolved));
    images = c->MakeShape({c->Dim(convolved, 0), c->Dim(images, 0), c->Dim(images, 1), c->Dim(filter, 2)});
  }
  TF_RETURN_IF_ERROR(MergeConvShapes(c, &images, &filter, &convolved));
  c->set_output(0, images);
  return Status::OK();
}

Status BackpropFilterShape(InferenceContext* c) {
  ShapeHandle images = c->input(0), filter, convolved = c->input(2);
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &filter));
  TF_RETURN_IF_ERROR(MergeConvShapes(c, &images, &filter, &convolved));
  c->set_output(0, filter);
  return Status::OK();
}

REGISTER_OP("Conv2DBackpropInput")
    .Input("input_sizes: int32")
    .Input("filter: T")
    .Input("out_backprop: T")
    .Output("output: T")
    .MATH_OPS_CONV_ATTRS.SetShapeFn(BackpropInputShape)
    .Gradient(
        "nodes:\n"
        "  filter_sizes: {op: Shape, in: filter}\n"
        "  dfilter: {op: Conv2DBackpropFilter, in: [grad.output, filter_sizes, out_backprop], " MATH_OPS_SAME_CONV
        "}\n"
        "  dout: {op: Conv2D, in: [grad.output, filter], " MATH_OPS_SAME_CONV
        "}\n"
        "outputs: {input_sizes: null, filter: dfilter, out_backprop: dout}\n")
    .Doc(
        "Computes the gradient of Conv2D with respect to its images.\n\n"
        "It is also known as a transposed convolution.\n\n"
        "input_sizes: The shape of the images, [batch, height, width, channels], or [height, width].\n"
        "filter: The filters, [height, width, channels, filters].\n"
        "out_backprop: The gradient with respect to the output of Conv2D, in its shape.\n"
        "output: The gradient with respect to the images.\n" MATH_OPS_CONV_ATTR_DOCS);

REGISTER_OP("Conv2DBackpropFilter")
    .Input("input: T")
    .Input("filter_sizes: int32")
    .Input("out_backprop: T")
    .Output("output: T")
    .MATH_OPS_CONV_ATTRS.SetShapeFn(BackpropFilterShape)
    .Gradient(
        "nodes:\n"
        "  input_sizes: {op: Shape, in: input}\n"
        "  dinput: {op: Conv2DBackpropInput, in: [input_sizes, grad.output, out_backprop], " MATH_OPS_SAME_CONV
        "}\n"
        "  dout: {op: Conv2D, in: [input, grad.output], " MATH_OPS_SAME_CONV
        "}\n"
        "outputs: {input: dinput, filter_sizes: null, out_backprop: dout}\n")
    .Doc(
        "Computes the gradient of Conv2D with respect to its filters.\n\n"
        "input: The images, [batch, height, width, channels].\n"
        "filter_sizes: The shape of the filters, [height, width, channels, filters].\n"
        "out_backprop: The gradient with respect to the output of Conv2D, in its shape.\n"
        "output: The gradient with respect to the filters.\n" MATH_OPS_CONV_ATTR_DOCS);

REGISTER_KERNEL_BUILDER(Name("Conv2DBackpropInput").Device(DEVICE_CPU), Conv2DBackpropOp<0, CpuConvolver>);
REGISTER_KERNEL_BUILDER(Name("Conv2DBackpropFilter").Device(DEVICE_CPU), Conv2DBackpropOp<1, CpuConvolver>);

}  // namespace
}  // namespace math_ops
