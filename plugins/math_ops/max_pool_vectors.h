// plugins/math_ops/max_pool_vectors.h: the largest pixels of windows of images with many channels, for one instruction
// set.
//
// Included by isa_set.cc, in whose namespace it is compiled. The largest values of a window's channels stay in a
// register while its pixels pass by.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "max_pool_row.h"
#include "unary_simd.h"
#include "vectors.h"

namespace math_ops {
namespace {

// Part of a window: rows of pixels, from `first` on.
template <typename T>
struct PixelsOfWindow {
  const T* first;
  int64 rows, columns;              // pixels
  int64 row_stride, column_stride;  // values
};

// Calls use(values) for some channels, which fill a vector, of each pixel.
template <typename T, typename Use>
inline void ForPixels(const PixelsOfWindow<T>& window, int64 channel, const Use& use) {
  typedef typename VectorOf<T>::AtAnyAddress AtAnyAddress;
  const T* row = window.first + channel;
  if (window.rows == 2 &&
      window.columns == 2) {  // the most frequent windows, for which loops take longer than the work
    for (const T* const pixel : {row, row + window.row_stride}) {
      use(*reinterpret_cast<const AtAnyAddress*>(pixel));
      use(*reinterpret_cast<const AtAnyAddress*>(pixel + window.column_stride));
    }
    return;
  }
  for (int64 y = 0; y < window.rows; ++y, row += window.row_stride) {
    const T* pixel = row;
    for (int64 x = 0; x < window.columns; ++x, pixel += window.column_stride) {
      use(*reinterpret_cast<const AtAnyAddress*>(pixel));
    }
  }
}

// The largest values of these channels.
template <typename T>
inline void StoreLargest(const PixelsOfWindow<T>& window, int64 channel, T* out) {
  typedef typename VectorOf<T>::Type Vector;
  Vector largest = Vector{} + Smallest<T>(), zeros{};
  ForPixels(window, channel, [&](Vector values) {
    largest = MATH_OPS_ISA::Larger<T>(values, largest);
    zeros += values * T{0};  // NaN if there is a NaN or an infinity
  });
  if (MATH_OPS_ISA::AnyNan<T>(zeros)) {
    largest = Vector{} + Smallest<T>();
    ForPixels(window, channel, [&](Vector values) {
      largest = (~(values <= largest) & (largest == largest)) ? values : largest;  // IsLarger
    });
  }
  *reinterpret_cast<typename VectorOf<T>::AtAnyAddress*>(out + channel) = largest;
}

template <typename T>
void MaxPoolRowOfVectors(const ImageWindows& images, const T* image, int64 y, T* out) {
  const WindowAxis& x = images.x;
  const int64 channels = images.channels;
  if (channels < kLanes<T>) return MaxPoolRow(images, image, y, out);
  const int64 first_row = images.y.FirstTap(y), rows = images.y.EndTap(y) - first_row;
  for (int64 i = 0; i < x.windows; ++i, out += channels) {
    // Most windows are inside of the image; it would take longer to ask for their taps than to read them.
    const bool inside = x.Pixel(i, 0) >= 0 && x.Pixel(i, x.taps - 1) < x.size;
    const int64 first = inside ? 0 : x.FirstTap(i), end = inside ? x.taps : x.EndTap(i);
    const T* const pixels = image + images.y.Pixel(y, first_row) * images.row_values() + x.Pixel(i, first) * channels;
    const PixelsOfWindow<T> window = {pixels, rows, end - first, images.y.dilation * images.row_values(),
                                      x.dilation * channels};
    int64 channel = 0;
    for (; channel + kLanes<T> <= channels; channel += kLanes<T>) StoreLargest(window, channel, out);
    if (channel < channels) StoreLargest(window, channels - kLanes<T>, out);
  }
}

}  // namespace
}  // namespace math_ops
