// plugins/math_ops/conv2d_ops.h: shape functions, kernel base and attrs that Conv2D and its gradients share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conv2d.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"

namespace math_ops {

// The base of the three kernels.
class ConvKernel : public opsrun::OpKernel {
 public:
  ConvKernel(opsrun::OpKernelConstruction* context, ConvLoop loop) : OpKernel(context), loop_(loop) {
    OP_REQUIRES_OK(context, GetConvAttrs(context, &attrs_));
  }

 protected:
  const ImageAttrs& attrs() const { return attrs_; }
  // Computes the output, from x and y as defined for ConvLoop.
  void Multiply(opsrun::OpKernelContext* context, const Convolution& convolution, const opsrun::Tensor& x,
                const opsrun::Tensor& y, const opsrun::TensorShape& shape);

 private:
  const ConvLoop loop_;
  ImageAttrs attrs_;
};

// The known shapes of images, filter and convolved images, each merged with what follows from the other two.
opsrun::Status MergeConvShapes(opsrun::shape_inference::InferenceContext* c,
                               opsrun::shape_inference::ShapeHandle* images,
                               opsrun::shape_inference::ShapeHandle* filter,
                               opsrun::shape_inference::ShapeHandle* convolved);

// INVALID_ARGUMENT, blaming out_backprop: the gradient does not have the shape of the convolved images.
opsrun::Status CheckConvGradient(const Convolution& convolution, const opsrun::Tensor& gradient);

}  // namespace math_ops

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
  "use_cudnn_on_gpu: Has no effect; for graphs of TensorFlow.\n"                                                   \
  "padding: SAME: as many windows as strides fit into the image, which is padded with zeros. VALID: only windows " \
  "inside the image. EXPLICIT: the image is padded with zeros as explicit_paddings says.\n"                        \
  "explicit_paddings: [0, 0, top, bottom, left, right, 0, 0].\n"                                                   \
  "data_format: Only NHWC is supported.\n"                                                                         \
  "dilations: How far apart the pixels of a window are: [1, height, width, 1].\n"

// The attrs of a gradient node, copied from the op's.
#define MATH_OPS_SAME_CONV                                                                                     \
  "attrs: {strides: {attr: strides}, padding: {attr: padding}, explicit_paddings: {attr: explicit_paddings}, " \
  "data_format: {attr: data_format}, dilations: {attr: dilations}}"
