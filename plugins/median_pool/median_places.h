// plugins/median_pool/median_places.h: where the median of each window stands in the image.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "plain.h"
#include "window.h"

namespace median_pool {

// The value in row-major order of the window that is the median: the first of equal ones, the first NaN if there is
// one. The result is the index of the value in the image.
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
