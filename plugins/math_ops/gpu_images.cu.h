// plugins/math_ops/gpu_images.cu.h: places in images and windows, for kernels on a GPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_elementwise.cu.h"
#include "images.h"

namespace math_ops {

// A place in images of `height` rows and `width` columns, or in the windows on them.
struct Spot {
  int64 image, y, x;
};
__device__ inline Spot SpotAt(int64 height, int64 width, int64 i) {
  return {i / (height * width), i / width % height, i % width};
}

// The window whose tap is at the pixel; -1: there is none.
__device__ inline int64 WindowWith(const WindowAxis& axis, int64 pixel, int64 tap) {
  const int64 at = pixel + axis.before - tap * axis.dilation;
  const int64 window = axis.stride == 1 ? at : at / axis.stride;
  return at >= 0 && window * axis.stride == at && window < axis.windows ? window : -1;
}

}  // namespace math_ops
