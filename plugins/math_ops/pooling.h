// plugins/math_ops/pooling.h: what MaxPool, AvgPool and their gradients have in common.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "image_attrs.h"
#include "opsrun/op_kernel.h"

namespace math_ops {

// The windows on images of this shape, and the shape of the pooled images. Where windows are channels, each pixel is an
// image of its own, whose channels are pixels of one row. INVALID_ARGUMENT: the windows do not fit, or the shape is not
// that of images.
opsrun::Status MakePooling(const ImageAttrs& attrs, const opsrun::TensorShape& shape, ImageWindows* images,
                           opsrun::TensorShape* pooled);

// The shape of the pooled images in a shape function. *images is merged with rank 4.
opsrun::Status PooledShape(opsrun::shape_inference::InferenceContext* c, const ImageAttrs& attrs,
                           opsrun::shape_inference::ShapeHandle* images, opsrun::shape_inference::ShapeHandle* pooled);

}  // namespace math_ops
