// plugins/median_pool/plain.h: medians the plain way, window by window: for windows that are cut, and for tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "window.h"

namespace median_pool {

// The lower one of two in the middle; NaN if there is one among the values. They are left in another order.
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

}  // namespace median_pool
