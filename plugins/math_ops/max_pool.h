// plugins/math_ops/max_pool.h: the largest pixel of each window of an image, per channel, and its position.
//
// Of several largest pixels, the first one in row-major order counts. NaN is larger than every number.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "opsrun/op.h"
#include "pooling.h"

namespace math_ops {

typedef Join<Floats, TypeList<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t>> PoolTypes;
#define MATH_OPS_POOL_TYPES MATH_OPS_FLOATS ", int8, int16, int32, int64, uint8, uint16"

// Whether x replaces `largest`, which was found before it.
template <typename T>
bool IsLarger(T x, T largest) {
  return !(static_cast<Wide<T>>(x) <= static_cast<Wide<T>>(largest)) && largest == largest;
}

// At most as large as every pixel.
template <typename T>
T Smallest() {
  if constexpr (std::is_integral_v<T>) return std::numeric_limits<T>::lowest();
  return static_cast<T>(-std::numeric_limits<float>::infinity());
}

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

// Computes row y of the windows of one image: out[window * channels + channel].
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

// The positions in the image of the row's largest pixels. `largest` is scratch memory for images.x.windows * channels
// elements.
template <typename T>
void ArgMaxPoolRow(const ImageWindows& images, const T* image, int64 y, T* largest, int64* where) {
  const int64 channels = images.channels;
  std::fill_n(where, images.x.windows * channels, int64{-1});
  ForTapsOfRow(images, y, [&](int64 first, int64 end, int64 in_image) {
    for (int64 i = first; i < end; ++i, in_image += images.x.stride * channels) {
      for (int64 j = 0; j < channels; ++j) {
        const int64 out = i * channels + j;
        if (where[out] >= 0 && !IsLarger(image[in_image + j], largest[out])) continue;
        largest[out] = image[in_image + j];
        where[out] = in_image + j;
      }
    }
  });
}

}  // namespace math_ops

// The attrs that MaxPool and its gradients share.

#define MATH_OPS_POOL_ATTRS                           \
  Attr("T: {" MATH_OPS_POOL_TYPES "} = DT_FLOAT")     \
      .Attr("ksize: list(int) >= 4")                  \
      .Attr("strides: list(int) >= 4")                \
      .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}") \
      .Attr("explicit_paddings: list(int) = []")      \
      .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")

#define MATH_OPS_POOL_ATTR_DOCS                                                                                    \
  "ksize: The size of the windows: [1, height, width, 1], or [1, 1, 1, channels], which divides the channels.\n"   \
  "strides: How far apart windows are: [1, height, width, 1], or ksize for windows of channels.\n"                 \
  "padding: SAME: as many windows as strides fit into the image. VALID: only windows inside the image. EXPLICIT: " \
  "the image has a border as wide as explicit_paddings says. A border has no pixels.\n"                            \
  "explicit_paddings: [0, 0, top, bottom, left, right, 0, 0], each smaller than the window.\n"                     \
  "data_format: Only NHWC is supported.\n"

// The attrs of a gradient node, copied from the op's.
#define MATH_OPS_SAME_POOL                                                             \
  "attrs: {ksize: {attr: ksize}, strides: {attr: strides}, padding: {attr: padding}, " \
  "explicit_paddings: {attr: explicit_paddings}, data_format: {attr: data_format}}"
