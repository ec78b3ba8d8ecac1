// plugins/math_ops/patches.h: patches of images as rows of a matrix, and back.
//
// A patch holds the pixels under one window, [taps of y, taps of x, channels]; those outside the image are zero.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "image_window.h"
#include "real_matrices.h"

namespace math_ops {

template <typename T>
void CopyAs(const T* in, int64 n, Real<T>* out) {
  for (int64 i = 0; i < n; ++i) out[i] = static_cast<Real<T>>(in[i]);
}

// The pixels [first, end) of a window's row: where they are in the image, and where in the patch.
struct TapRun {
  int64 in_image, in_patch, taps;
};

// Calls run(TapRun) for the parts of the patch of window (y, x) that are inside the image.
template <typename Fn>
void ForTapRuns(const ImageWindows& images, int64 y, int64 x, const Fn& run) {
  const int64 first = images.x.FirstTap(x), end = images.x.EndTap(x);
  if (first == end) return;
  const bool dense = images.x.dilation == 1;
  for (int64 tap = images.y.FirstTap(y); tap < images.y.EndTap(y); ++tap) {
    const int64 row = images.y.Pixel(y, tap) * images.x.size;
    for (int64 i = first; i < end; i += dense ? end - first : 1) {
      run(TapRun{(row + images.x.Pixel(x, i)) * images.channels, (tap * images.x.taps + i) * images.channels,
                 dense ? end - first : 1});
    }
  }
}

inline bool IsInside(const ImageWindows& images, int64 y, int64 x) {
  return images.y.FirstTap(y) == 0 && images.y.EndTap(y) == images.y.taps && images.x.FirstTap(x) == 0 &&
         images.x.EndTap(x) == images.x.taps;
}

// The patches of the windows [begin, end), counted through all images.
template <typename T>
void CopyPatches(const ImageWindows& images, const T* in, int64 begin, int64 end, Real<T>* patches) {
  const int64 patch = images.y.taps * images.x.taps * images.channels;
  for (int64 i = begin; i < end; ++i, patches += patch) {
    const T* const image = in + i / images.windows() * images.image_values();
    const int64 y = i % images.windows() / images.x.windows, x = i % images.x.windows;
    if (!IsInside(images, y, x)) std::fill_n(patches, patch, Real<T>{0});
    ForTapRuns(images, y, x, [&](const TapRun& run) {
      CopyAs(image + run.in_image, run.taps * images.channels, patches + run.in_patch);
    });
  }
}

// Adds the patches of the windows [begin, end) to the pixels of a part of the images, which begin at `out`.
template <typename R>
void AddPatches(const ImageWindows& images, const R* patches, int64 begin, int64 end, const ImagePart& part, R* out) {
  const int64 patch = images.y.taps * images.x.taps * images.channels;
  const int64 first = part.begin_row * images.row_values(), last = part.end_row * images.row_values();
  for (int64 i = begin; i < end; ++i, patches += patch) {
    R* const image = out + (i / images.windows() - part.begin) * images.image_values() - first;
    ForTapRuns(images, i % images.windows() / images.x.windows, i % images.x.windows, [&](const TapRun& run) {
      if (run.in_image < first || run.in_image >= last) return;
      for (int64 j = 0; j < run.taps * images.channels; ++j) image[run.in_image + j] += patches[run.in_patch + j];
    });
  }
}

}  // namespace math_ops
