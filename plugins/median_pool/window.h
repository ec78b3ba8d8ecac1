// plugins/median_pool/window.h: which elements of an image each window covers. Kernels for a GPU call the constexpr
// functions too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace median_pool {

// Windows along one dimension. Window i begins at i * stride - before, and is cut where it leaves the image.
struct Axis {
  int64_t size = 0;  // of the image
  int64_t window = 1, stride = 1, before = 0;
  int64_t windows = 0;

  constexpr int64_t Begin(int64_t i) const { return std::max<int64_t>(i * stride - before, 0); }
  constexpr int64_t End(int64_t i) const { return std::min(i * stride - before + window, size); }

  // The windows [FirstWhole, EndWhole) are not cut; there may be none.
  int64_t FirstWhole() const { return std::min((before + stride - 1) / stride, windows); }
  int64_t EndWhole() const {
    if (size < window) return FirstWhole();
    return std::max(FirstWhole(), std::min((size - window + before) / stride + 1, windows));
  }
};

// SAME: as many windows as it takes to begin one at each multiple of the stride; VALID: no window is cut. Requires:
// with VALID, size >= window.
inline Axis MakeAxis(int64_t size, int64_t window, int64_t stride, bool same) {
  Axis axis = {size, window, stride, 0, 0};
  axis.windows = same ? (size + stride - 1) / stride : (size - window) / stride + 1;
  if (same) axis.before = std::max<int64_t>((axis.windows - 1) * stride + window - size, 0) / 2;
  return axis;
}

// `batch` images of y.size rows of x.size pixels of `channels` values.
struct Images {
  int64_t batch = 1, channels = 1;
  Axis y, x;

  constexpr int64_t row_values() const { return x.size * channels; }
  constexpr int64_t output_row_values() const { return x.windows * channels; }
  constexpr int64_t output_rows() const { return batch * y.windows; }
};

// One row of windows: `in` is the first value of their image, `out` that of the row of medians.
template <typename T>
struct WindowRow {
  const Images& images;
  int64_t y;
  const T* in;
  T* out;

  const T* InputRow(int64_t row) const { return in + row * images.row_values(); }
  int64_t Begin() const { return images.y.Begin(y); }
  int64_t End() const { return images.y.End(y); }
};

}  // namespace median_pool
