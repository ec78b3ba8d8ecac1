// plugins/math_ops/max_pool_ops.h: what MaxPool and its gradients have in common as ops.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "image_attrs.h"
#include "max_pool.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"

namespace math_ops {

// The windows on images of this shape. INVALID_ARGUMENT: they do not fit, or the shape is not that of images.
opsrun::Status MakePooling(const ImageAttrs& attrs, const opsrun::TensorShape& shape, ImageWindows* images);

// The shape of the pooled images.
opsrun::TensorShape PooledShape(const ImageWindows& images);

// The same in a shape function. *shape is merged with rank 4.
opsrun::Status PooledShape(opsrun::shape_inference::InferenceContext* c, opsrun::shape_inference::ShapeHandle* images,
                           opsrun::shape_inference::ShapeHandle* pooled);

}  // namespace math_ops

#define MATH_OPS_POOL_ATTRS                           \
  Attr("T: {" MATH_OPS_POOL_TYPES "} = DT_FLOAT")     \
      .Attr("ksize: list(int) >= 4")                  \
      .Attr("strides: list(int) >= 4")                \
      .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}") \
      .Attr("explicit_paddings: list(int) = []")      \
      .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")

#define MATH_OPS_POOL_ATTR_DOCS                                                                                    \
  "ksize: The size of the windows: [1, height, width, 1].\n"                                                       \
  "strides: How far apart windows are: [1, height, width, 1].\n"                                                   \
  "padding: SAME: as many windows as strides fit into the image. VALID: only windows inside the image. EXPLICIT: " \
  "the image has a border as wide as explicit_paddings says. A border has no pixels.\n"                            \
  "explicit_paddings: [0, 0, top, bottom, left, right, 0, 0], each smaller than the window.\n"                     \
  "data_format: Only NHWC is supported.\n"

// The attrs of a node of a gradient.
#define MATH_OPS_SAME_POOL                                                             \
  "attrs: {ksize: {attr: ksize}, strides: {attr: strides}, padding: {attr: padding}, " \
  "explicit_paddings: {attr: explicit_paddings}, data_format: {attr: data_format}}"
