// plugins/math_ops/conv2d.h: convolutions of images, and their two gradients, as matrix products.
//
// A convolution is the product of a matrix with one patch per row, the pixels under one window, and the filter. Patches
// are copied in blocks to bound the memory for them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "image_attrs.h"

namespace math_ops {

typedef TypeList<half, bfloat16, float, double, int32_t> ConvTypes;
#define MATH_OPS_CONV_TYPES "half, bfloat16, float, double, int32"

// Images are [batch, height, width, channels], filters [height, width, channels, filters].
struct Convolution {
  ImageWindows images;
  int64 filters = 0;

  int64 patch() const { return images.y.taps * images.x.taps * images.channels; }
  TensorShape OutputShape() const { return TensorShape({images.batch, images.y.windows, images.x.windows, filters}); }
};

// Whether the sizes are those of a grouped convolution, which the kernels here do not support.
bool AreGroups(int64 of_images, int64 of_filter);
// INVALID_ARGUMENT: images and filter do not have the same number of channels.
Status WrongChannels(int64 of_images, int64 of_filter);

// INVALID_ARGUMENT, blaming an input: the shapes of images and filter do not match.
Status MakeConvolution(const ImageAttrs& attrs, const TensorShape& images, const TensorShape& filter,
                       Convolution* convolution);

// How the work is divided does not depend on the number of threads, so results do not either. Each loop writes all of
// `out`. Requires: the tensors have the shapes of the convolution, and none is empty.
typedef Status (*ConvLoop)(OpKernelContext* context, const Convolution& convolution, const void* x, const void* y,
                           void* out);

// For one of ConvTypes: from images and the filter to the convolved images; from the filter and the gradient of the
// convolved images to the gradient of the images; from images and that gradient to the gradient of the filter.
enum class ConvTask { kConvolve, kBackToImages, kBackToFilter };
ConvLoop ConvLoopFor(ConvTask task, DataType type);

}  // namespace math_ops
