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
  return at >= 0 && at % axis.stride == 0 && at / axis.stride < axis.windows ? at / axis.stride : -1;
}

}  // namespace math_ops
