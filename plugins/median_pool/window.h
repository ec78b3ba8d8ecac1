// plugins/median_pool/window.h: which elements of an image each window covers, also for GPU kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace median_pool {

// Windows along one dimension. Window i begins at i * stride - before, and is cut at the edges of the image.
struct Axis {
  int64_t size = 0;  // of the image
  int64_t window = 1, stride = 1, before = 0;
  int64_t windows = 0;

  constexpr int64_t Begin(int64_t i) const { return std::max<int64_t>(i * stride - before, 0); }
  constexpr int64_t End(int64_t i) const { return std::min(i * stride - before + window, size); }

  // The windows [FirstWhole, EndWhole) are not cut; the range may be empty.
  int64_t FirstWhole() const { return std::min((before + stride - 1) / stride, windows); }
  int64_t EndWhole() const {
    if (size < window) return FirstWhole();
    return std::max(FirstWhole(), std::min((size - window + before) / stride + 1, windows));
  }
};

// SAME: ceil(size / stride) windows; VALID: only windows that are not cut. Requires: for VALID, size >= window.
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

// One row of windows: `in` is the first value of their image, `out` the first value of the row of medians.
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

// A median by sorting, for cut windows and tests: the lower of two; NaN if a value is. Reorders the values.
template <typename T>
T MedianOf(std::vector<T>& values) {
  for (const T value : values) {
    if (value != value) return value;
  }
  const auto middle = values.begin() + static_cast<ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The windows [begin, end) of the row.
template <typename T>
void PlainRow(const WindowRow<T>& row, int64_t begin, int64_t end) {
  const Images& images = row.images;
  std::vector<T> values;
  for (int64_t x = begin; x < end; ++x) {
    for (int64_t channel = 0; channel < images.channels; ++channel) {
      values.clear();
      for (int64_t y = row.Begin(); y < row.End(); ++y) {
        const T* from = row.InputRow(y) + channel;
        for (int64_t i = images.x.Begin(x); i < images.x.End(x); ++i) values.push_back(from[i * images.channels]);
      }
      row.out[x * images.channels + channel] = MedianOf(values);
    }
  }
}

// The first value in row-major order that equals the median, or the first NaN. Returns its index in the image.
template <typename T>
int64_t MedianPlace(const WindowRow<T>& row, int64_t x, int64_t channel, std::vector<T>* values) {
  const Images& images = row.images;
  const int64_t left = images.x.Begin(x), width = images.x.End(x) - left;
  const auto place = [&](int64_t i) {
    return (row.Begin() + i / width) * images.row_values() + (left + i % width) * images.channels + channel;
  };
  const int64_t count = (row.End() - row.Begin()) * width;
  values->clear();
  for (int64_t i = 0; i < count; ++i) values->push_back(row.in[place(i)]);
  const T median = MedianOf(*values);
  int64_t first = 0;
  while (row.in[place(first)] != median && !(median != median && row.in[place(first)] != row.in[place(first)])) ++first;
  return place(first);
}

// Calls visit(index in all images, index in the output) for the windows of the rows [begin, end).
template <typename T, typename Visit>
void ForMedians(const Images& images, const T* in, int64_t begin, int64_t end, const Visit& visit) {
  std::vector<T> values;
  const int64_t image_values = images.y.size * images.row_values();
  for (int64_t at = begin; at < end; ++at) {
    const int64_t image = at / images.y.windows;
    const WindowRow<T> row = {images, at % images.y.windows, in + image * image_values, nullptr};
    for (int64_t x = 0; x < images.x.windows; ++x) {
      for (int64_t channel = 0; channel < images.channels; ++channel) {
        visit(image * image_values + MedianPlace(row, x, channel, &values),
              at * images.output_row_values() + x * images.channels + channel);
      }
    }
  }
}

}  // namespace median_pool
