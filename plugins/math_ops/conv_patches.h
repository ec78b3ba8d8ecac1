// plugins/math_ops/conv_patches.h: patches of images, as rows of a matrix, and what the loops of convolutions share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "images.h"
#include "matmul.h"

namespace math_ops {

// Copies patches of images to rows of a matrix, and back.
//
// A patch is the pixels under one window, [taps of y, taps of x, channels]; pixels outside of the image are zero.

template <typename T>
void CopyAs(const T* in, int64 n, Real<T>* out) {
  if constexpr (std::is_same_v<T, Real<T>>) return void(std::copy_n(in, n, out));
  for (int64 i = 0; i < n; ++i) out[i] = static_cast<Real<T>>(in[i]);
}

// Part of a row of a window: the pixels [first, end), their position in the image, and in the patch.
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

// Copies the patches of the windows [begin, end), counted through all images.
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

// Adds the patches of the windows [begin, end) to the pixels of a part of the images, which begins at `out`.
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

template <typename R>
std::unique_ptr<R[]> NewArray(int64 n) {
  return std::unique_ptr<R[]>(new R[static_cast<size_t>(n)]);
}

template <typename T>
void RoundAll(const Real<T>* wide, int64 n, T* out) {
  for (int64 i = 0; i < n; ++i) out[i] = static_cast<T>(wide[i]);
}

// A matrix with the given rows, in the memory of a tensor.
template <typename T>
Status ReadMatrix(OpKernelContext* context, Workspace& workspace, int64 rows, int64 columns, const void* data,
                  RealMatrices<T>* matrix) {
  return matrix->Read(context, workspace, {1, rows, columns}, Side::kLeft, static_cast<const T*>(data));
}

// A convolution of images of T. Windows are counted through all images.
template <typename T>
struct Conv : Convolution {
  typedef Real<T> R;
  const Kernels* kernels = nullptr;
  Multiply<R> multiply = nullptr;

  Status Init(const Convolution& convolution) {
    static_cast<Convolution&>(*this) = convolution;
    TF_RETURN_IF_ERROR(FindKernels(&kernels));
    multiply = std::get<Multiply<R>>(kernels->multiply);
    return Status::OK();
  }

  int64 windows() const { return images.batch * images.windows(); }

  // The number of windows whose patches are copied at a time: enough for a fast product, about 1 MiB of patches.
  int64 WindowsAtOnce() const {
    constexpr int64 kValues = 1 << 18, kFewest = 256, kMost = 2048;
    return std::min(std::clamp(kValues / patch(), kFewest, kMost), windows());
  }

  // Whether a patch is a pixel of the images, so that copies are not needed.
  bool IsPointwise() const { return kIsReal<T> && images.y.IsIdentity() && images.x.IsIdentity(); }

  // The patches of the windows [begin, end), one per row; copied to `memory` if necessary.
  MatrixView<R> Patches(const T* in, int64 begin, int64 end, R* memory) const {
    if constexpr (kIsReal<T>) {
      if (IsPointwise()) return {reinterpret_cast<const R*>(in) + begin * patch(), patch(), false};
    }
    CopyPatches(images, in, begin, end, memory);
    return {memory, patch(), false};
  }
  std::unique_ptr<R[]> NewPatches() const { return NewArray<R>(IsPointwise() ? 0 : WindowsAtOnce() * patch()); }
};

}  // namespace math_ops
