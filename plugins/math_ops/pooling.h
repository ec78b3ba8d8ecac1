// plugins/math_ops/pooling.h: windows and shapes that MaxPool, AvgPool and their gradients share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "image_attrs.h"

namespace math_ops {

// The windows on images of this shape, and the shape of the pooled images. With windows of channels, each pixel is
// treated as an image of one row, whose pixels are the channels. INVALID_ARGUMENT: the windows do not fit, or the shape
// is not that of images.
opsrun::Status MakePooling(const ImageAttrs& attrs, const opsrun::TensorShape& shape, ImageWindows* images,
                           opsrun::TensorShape* pooled);

// The shape of the pooled images, for shape functions. *images is merged with rank 4.
opsrun::Status PooledShape(opsrun::shape_inference::InferenceContext* c, const ImageAttrs& attrs,
                           opsrun::shape_inference::ShapeHandle* images, opsrun::shape_inference::ShapeHandle* pooled);

}  // namespace math_ops
