// plugins/math_ops/max_pool_row.h: the largest pixels of a row of windows.
//
// Also included by max_pool_vectors.h, which is compiled for each instruction set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "pooling.h"

namespace math_ops {
namespace {

// Calls run(first, end, in_image) for each tap of the windows of row y that is inside of the image for some window: the
// windows [first, end) contain it, and for window `first` it is at the value in_image of the image.
template <typename Fn>
void ForTapsOfRow(const ImageWindows& images, int64 y, const Fn& run) {
  for (int64 tap_y = images.y.FirstTap(y); tap_y < images.y.EndTap(y); ++tap_y) {
    const int64 row = images.y.Pixel(y, tap_y) * images.row_values();
    for (int64 tap_x = images.x.FirstTap(images.x.windows - 1); tap_x < images.x.EndTap(0); ++tap_x) {
      const int64 first = images.x.FirstWindow(tap_x), end = images.x.EndWindow(tap_x);
      if (first < end) run(first, end, row + images.x.Pixel(first, tap_x) * images.channels);
    }
  }
}

// Computes row y of the windows of one image: out[window * channels + channel]. For any number of channels; for many,
// max_pool_vectors.h is faster.
template <typename T>
void MaxPoolRow(const ImageWindows& images, const T* image, int64 y, T* out) {
  const int64 channels = images.channels;
  std::fill_n(out, images.x.windows * channels, Smallest<T>());
  ForTapsOfRow(images, y, [&](int64 first, int64 end, int64 in_image) {
    // With strides of 1, the pixels of neighboring windows are contiguous.
    const bool joined = images.x.stride == 1;
    const int64 runs = joined ? 1 : end - first, length = joined ? (end - first) * channels : channels;
    for (int64 i = 0; i < runs; ++i) {
      const T* const in = image + in_image + i * images.x.stride * channels;
      T* const largest = out + first * channels + i * length;
      for (int64 j = 0; j < length; ++j) largest[j] = IsLarger(in[j], largest[j]) ? in[j] : largest[j];
    }
  });
}

}  // namespace
}  // namespace math_ops
