// plugins/math_ops/conv_windows.h: the windows of Conv2D, in groups that have the same taps inside of the image.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conv_patches.h"

namespace math_ops {

// Neighboring windows along an axis that have the same taps [first_tap, end_tap) inside of the image.
struct WindowSegment {
  int64 first, end, first_tap, end_tap;
};

inline std::vector<WindowSegment> SegmentsOf(const WindowAxis& axis) {
  std::vector<WindowSegment> segments;
  segments.reserve(8);
  for (int64 i = 0; i < axis.windows; ++i) {
    const bool inside = axis.Pixel(i, 0) >= 0 && axis.Pixel(i, axis.taps - 1) < axis.size;
    const int64 first = inside ? 0 : axis.FirstTap(i), end = inside ? axis.taps : axis.EndTap(i);
    const bool same = !segments.empty() && segments.back().first_tap == first && segments.back().end_tap == end;
    if (!same) segments.push_back({i, i, first, end});
    ++segments.back().end;
  }
  return segments;
}

// Of both axes. A group is the windows of a segment of rows and one of columns.
struct WindowSegments {
  std::vector<WindowSegment> rows, columns;

  explicit WindowSegments(const ImageWindows& images) : rows(SegmentsOf(images.y)), columns(SegmentsOf(images.x)) {}
};

// The windows of a part of the images: of the rows [begin, end) of windows, counted through all images.
template <typename T>
class Windows {
 public:
  typedef Real<T> R;

  Windows(const ImageWindows& images, const WindowSegments& segments) : images_(images), segments_(segments) {}
  Windows(const Windows&) = delete;

  // The sums of window i, counted from the first row, go to out[i * out_stride].
  void Show(const T* in, int64 begin, int64 end, R* out, int64 out_stride) {
    ShowPixels(in, begin, end);
    windows_.resize(static_cast<size_t>((end - begin) * images_.x.windows));
    outs_.resize(windows_.size());
    calls_.clear();
    calls_.reserve(std::min(windows_.size(), segments_.rows.size() * segments_.columns.size()));
    size_t n = 0;
    for (const WindowSegment& y : segments_.rows) {
      for (const WindowSegment& x : segments_.columns) {
        const size_t first = n;
        for (const Part& part : parts_) n = Add(y, x, part, out, out_stride, n);
        if (n > first) calls_.push_back({y, x, first, n - first});
      }
    }
  }

  // Adds up the products of all windows with the panel that `products` describes.
  void Multiply(AddWindowProducts<R> multiply, WindowProducts<R> products) {
    for (const Call& call : calls_) {
      products.windows = windows_.data() + call.first;
      products.outs = outs_.data() + call.first;
      products.n = static_cast<int64>(call.n);
      products.run_length = FindRuns(call);
      products.runs = runs_.data();
      products.n_runs = static_cast<int64>(runs_.size());
      multiply(products);
    }
  }

 private:
  // The rows [begin, end) of windows of an image, with the number of windows in earlier parts. `pixels` is row
  // first_row.
  struct Part {
    int64 image, begin, end, windows_before;
    const R* pixels = nullptr;
    int64 first_row = 0;
  };
  // Of a group: n windows, from `first` on.
  struct Call {
    WindowSegment y, x;
    size_t first, n;
  };

  // A run is a row of neighboring taps, or a tap if they are not neighbors. Returns the number of values in a run.
  int64 FindRuns(const Call& call) {
    const WindowSegment &y = call.y, &x = call.x;
    const int64 taps = images_.x.dilation == 1 ? std::max<int64>(x.end_tap - x.first_tap, 1) : 1;
    runs_.clear();
    runs_.reserve(static_cast<size_t>(y.end_tap - y.first_tap));
    for (int64 i = y.first_tap; i < y.end_tap; ++i) {
      for (int64 j = x.first_tap; j < x.end_tap; j += taps) {
        runs_.push_back({(i - y.first_tap) * images_.y.dilation * images_.row_values() +
                             (j - x.first_tap) * images_.x.dilation * images_.channels,
                         (i * images_.x.taps + j) * images_.channels});
      }
    }
    return taps * images_.channels;
  }

  void ShowPixels(const T* in, int64 begin, int64 end) {
    const WindowAxis& axis = images_.y;
    parts_.clear();
    for (int64 row = begin, last; row < end; row = last) {
      last = std::min(end, (row / axis.windows + 1) * axis.windows);
      const int64 first = row % axis.windows;
      parts_.push_back({row / axis.windows, first, first + last - row, (row - begin) * images_.x.windows});
      if constexpr (kIsReal<T>) {
        parts_.back().pixels = reinterpret_cast<const R*>(in + parts_.back().image * images_.image_values());
      }
    }
    if constexpr (!kIsReal<T>) Convert(in);
  }

  // Converts the rows of pixels that windows cover.
  void Convert(const T* in) {
    const WindowAxis& axis = images_.y;
    converted_.clear();
    std::vector<size_t> first;
    for (Part& part : parts_) {
      part.first_row = std::clamp<int64>(axis.Pixel(part.begin, 0), 0, axis.size);
      const int64 end_row = std::clamp(axis.Pixel(part.end - 1, axis.taps - 1) + 1, part.first_row, axis.size);
      const int64 n = (end_row - part.first_row) * images_.row_values();
      first.push_back(converted_.size());
      converted_.resize(converted_.size() + static_cast<size_t>(n));
      CopyAs(in + part.image * images_.image_values() + part.first_row * images_.row_values(), n,
             converted_.data() + first.back());
    }
    for (size_t i = 0; i < parts_.size(); ++i) parts_[i].pixels = converted_.data() + first[i];
  }

  // Appends the group's windows in this part of an image, and returns their number so far.
  size_t Add(const WindowSegment& y, const WindowSegment& x, const Part& part, R* out, int64 out_stride, size_t n) {
    const bool empty = y.first_tap == y.end_tap || x.first_tap == x.end_tap;
    const int64 first = std::max(y.first, part.begin), end = std::min(y.end, part.end);
    const int64 step = empty ? 0 : images_.x.stride * images_.channels;
    const int64 row_step = empty ? 0 : images_.y.stride * images_.row_values();
    const R* row = part.pixels;
    if (!empty) {
      row += (images_.y.Pixel(first, y.first_tap) - part.first_row) * images_.row_values() +
             images_.x.Pixel(x.first, x.first_tap) * images_.channels;
    }
    R* row_out = out + (part.windows_before + (first - part.begin) * images_.x.windows + x.first) * out_stride;
    for (int64 i = first; i < end; ++i, row += row_step, row_out += images_.x.windows * out_stride) {
      const R* window = row;
      R* to = row_out;
      for (int64 j = x.first; j < x.end; ++j, ++n, window += step, to += out_stride) {
        windows_[n] = window;
        outs_[n] = to;
      }
    }
    return n;
  }

  const ImageWindows& images_;
  const WindowSegments& segments_;
  std::vector<Part> parts_;
  std::vector<R> converted_;
  std::vector<const R*> windows_;
  std::vector<R*> outs_;
  std::vector<Call> calls_;
  std::vector<WindowRun> runs_;
};

}  // namespace math_ops
